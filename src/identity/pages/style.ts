/** Style of all pages: one column, dark and light as the reader's system says, nothing from elsewhere. */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --ground: #eef1f4;
  --sheet: #ffffff;
  --ink: #17202a;
  --soft: #4a5866;
  --line: #75828f;
  --rule: #d5dbe1;
  --main: #0b5c8a;
  --main-ink: #ffffff;
  --main-on: #084a70;
  --wrong: #a1160f;
  --wrong-ground: #fdecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11161b;
    --sheet: #1b232b;
    --ink: #eef2f5;
    --soft: #b4c0cb;
    --line: #8593a1;
    --rule: #34404b;
    --main: #7cc4ee;
    --main-ink: #06202f;
    --main-on: #a5d8f6;
    --wrong: #ffb4ab;
    --wrong-ground: #4a1512;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: grid;
  place-items: center;
  padding: 1.5rem 1rem;
  background: var(--ground);
  color: var(--ink);
}
main {
  width: 100%;
  max-width: 26rem;
  padding: 2rem;
  background: var(--sheet);
  border: 1px solid var(--rule);
  border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: 1.625rem; line-height: 1.25; font-weight: 650; text-wrap: balance; }
p { margin: 0.5rem 0 0; }
ul + p, p + p { margin-top: 1rem; }
form + p { margin-top: 1.25rem; }
.soft { color: var(--soft); }
.small { font-size: 0.875rem; }
form { margin: 1.5rem 0 0; display: grid; gap: 1.25rem; }
label { font-weight: 600; display: block; margin-bottom: 0.375rem; }
.field input {
  width: 100%;
  min-height: 3rem;
  padding: 0.5rem 0.75rem;
  font: inherit;
  color: inherit;
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
}
.code input { font-size: 1.5rem; letter-spacing: 0.15em; text-transform: uppercase; text-align: center; }
fieldset { margin: 0; padding: 0; border: 0; display: grid; gap: 0.75rem; }
legend { font-weight: 600; margin-bottom: 0.375rem; padding: 0; }
a { color: var(--main); }
.choice { display: flex; gap: 0.75rem; align-items: flex-start; }
.choice input { width: 1.25rem; height: 1.25rem; margin: 0.125rem 0 0; flex: none; accent-color: var(--main); }
.choice label { font-weight: 400; margin: 0; }
.buttons { display: grid; gap: 0.75rem; }
button, .button {
  display: block;
  width: 100%;
  min-height: 3rem;
  padding: 0.625rem 1rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  color: var(--main-ink);
  background: var(--main);
  border: 1px solid var(--main);
  border-radius: 0.5rem;
  cursor: pointer;
}
button:hover, .button:hover { background: var(--main-on); border-color: var(--main-on); }
button.second { color: var(--ink); background: transparent; border-color: var(--line); }
button.second:hover { border-color: var(--ink); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.wrong {
  margin: 1.25rem 0 0;
  padding: 0.75rem 1rem;
  color: var(--wrong);
  background: var(--wrong-ground);
  border-left: 4px solid var(--wrong);
  border-radius: 0.25rem;
}
ul.list { margin: 1.25rem 0 0; padding: 0; list-style: none; border: 1px solid var(--rule); border-radius: 0.5rem; }
ul.list li { padding: 0.75rem 1rem; }
ul.list li + li { border-top: 1px solid var(--rule); }
ul.list .name { display: block; color: var(--soft); font-size: 0.875rem; font-family: ui-monospace, monospace; }
iframe { display: none; }
@media (max-width: 30rem) {
  body { padding: 0; place-items: stretch; background: var(--sheet); }
  main { max-width: none; border: 0; border-radius: 0; padding: 2.5rem 1.25rem; }
}
@media (prefers-contrast: more) { :root { --soft: var(--ink); --rule: var(--line); } }
textarea { width: 100%; font: inherit; font-family: monospace; }
.scroll { overflow-x: auto; }
.scroll td, .scroll th { padding: 0.25rem 0.5rem; text-align: left; border-bottom: 1px solid var(--rule); }
`;
