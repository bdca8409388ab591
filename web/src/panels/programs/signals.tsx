/** Variables, inputs and outputs of the program where it is; inputs are switched by a click. */

import { t, number } from "../../i18n";
import { player } from "../../events";
import { check, outputs, program, toggleInput, variables, waiting } from "./state";

export function Signals() {
  const held = player.value?.what === "program" ? player.value : null;
  const { inputs: given } = program.value;
  const inputs = [...new Set([...(check.value?.inputs ?? []), ...Object.keys(given)])];
  const on = new Map(outputs.value);
  const names = [...new Set([...(check.value?.outputs ?? []), ...on.keys()])];
  return (
    <div class="programs-signals">
      <h4>
        {t("programs.inputs")}
        {waiting.value !== null && <span role="status"> · {waiting.value}</span>}
      </h4>
      <div class="programs-lamps">
        {inputs.length === 0 && <span class="quiet">{t("programs.none")}</span>}
        {inputs.map((name) => (
          <button
            key={name}
            type="button"
            role="switch"
            aria-checked={given[name] ?? false}
            title={t("programs.inputs.hint")}
            onClick={() => toggleInput(name)}
          >
            <span class="lamp" data-on={given[name] ?? false} />
            {name}
          </button>
        ))}
      </div>
      <h4>{t("programs.outputs")}</h4>
      <div class="programs-lamps">
        {names.length === 0 && <span class="quiet">{t("programs.none")}</span>}
        {names.map((name) => (
          <span key={name} data-output={name} data-on={Boolean(on.get(name) ?? false)}>
            <span class="lamp" data-on={Boolean(on.get(name) ?? false)} />
            {name}
            {typeof on.get(name) === "number" && ` = ${shown(on.get(name))}`}
          </span>
        ))}
      </div>
      <h4>{t("programs.variables")}</h4>
      {variables.value.length === 0 ? (
        <span class="quiet">{t(held === null ? "programs.variables.later" : "programs.none")}</span>
      ) : (
        <dl>
          {variables.value.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{shown(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function shown(value: boolean | number | undefined): string {
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return value === undefined ? "" : number(value, Number.isInteger(value) ? 0 : 3);
}
