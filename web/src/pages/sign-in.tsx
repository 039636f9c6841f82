import { useState } from 'react';
import { messageOf, readSession, signIn, type Session } from '../api.ts';

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

export function SignInPage({ hasSso, onSignedIn }: { hasSso: boolean; onSignedIn: (session: Session) => void }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const send = async (form: FormData): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      onSignedIn({ ...(await signIn(textOf(form, 'username'), textOf(form, 'password'))), sso: hasSso });
    } catch (error) {
      setProblem(messageOf(error));
      // The token may have been the reason.
      await readSession();
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <h1>Millrace</h1>
      <p className="quiet">Sign in with a user of your runtimes.</p>
      {problem !== undefined && (
        <div className="note bad" role="alert">
          {problem}
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(new FormData(event.currentTarget));
        }}
      >
        <label>
          User
          <input name="username" autoComplete="username" required autoFocus />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button className="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      {hasSso && (
        <p>
          <a className="button" href={`/sso?return=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in with SSO
          </a>
        </p>
      )}
    </main>
  );
}
