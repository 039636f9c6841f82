/** Values over time as a line, with what they say in words for those who do not see it. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 1e-9);
  const [width, height] = [120, 24];
  const points = values.map(
    (value, index) =>
      `${((index / Math.max(1, values.length - 1)) * width).toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <polyline points={points.join(' ')} />
    </svg>
  );
}
