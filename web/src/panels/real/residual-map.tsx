/** `<ResidualMap title={…} points={…} errors={…} />`: errors over the workspace, seen from the side: colours are mm. */

import { measure, t } from "../../i18n";

interface ResidualMapProps {
  readonly name: string;
  readonly title: string;
  readonly points: readonly (readonly [number, number, number])[];
  readonly errors: readonly number[];
}

const WIDTH = 220;
const HEIGHT = 150;
const EDGE = 6;
const DOT = 2.6;

export function ResidualMap({ name, title, points, errors }: ResidualMapProps) {
  const most = Math.max(...errors, 1e-9);
  const mean = errors.reduce((sum, error) => sum + error, 0) / Math.max(errors.length, 1);
  const across = points.map(([x, y]) => Math.hypot(x, y));
  const heights = points.map(([, , z]) => z);
  const [left, right] = [Math.min(...across), Math.max(...across)];
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const scale = Math.min((WIDTH - 2 * EDGE) / (right - left || 1), (HEIGHT - 2 * EDGE) / (high - low || 1));
  return (
    <figure class="real-map" data-map={name} data-mean={mean}>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}, ${measure(mean, 3, "mm")}`}>
        {points.map((_, i) => (
          <circle
            key={i}
            cx={EDGE + ((across[i] ?? 0) - left) * scale}
            cy={HEIGHT - EDGE - ((heights[i] ?? 0) - low) * scale}
            r={DOT}
            style={{ "--error": `${Math.round((100 * (errors[i] ?? 0)) / most)}%` }}
          />
        ))}
      </svg>
      <div class="real-scale">
        <span>0</span>
        <span class="real-ramp" aria-hidden="true" />
        <span>{measure(most, 3, "mm")}</span>
      </div>
      <p class="hint">{t("real.mapMean", { mean: measure(mean, 3, "mm") })}</p>
    </figure>
  );
}
