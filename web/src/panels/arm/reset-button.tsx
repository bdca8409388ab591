/** Back to what the catalog says; without a change there is nothing to press. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n";
import { Icon } from "../../parts/icon";

interface ResetButtonProps {
  readonly isNeeded: boolean;
  /** What it says; by default that it goes back to the catalog's values. */
  readonly title?: string;
  readonly onReset: () => Promise<string | null>;
}

export function ResetButton({ isNeeded, title, onReset }: ResetButtonProps) {
  const problem = useSignal<string | null>(null);
  const press = async (): Promise<void> => {
    problem.value = await onReset();
  };
  return (
    <>
      {isNeeded && (
        <button type="button" class="arm-reset" onClick={() => void press()}>
          <Icon name="reset" />
          {title ?? t("arm.reset")}
        </button>
      )}
      <p class="problem" role="alert">
        {isNeeded ? problem.value : ""}
      </p>
    </>
  );
}
