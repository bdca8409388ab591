/** The workbench: arms left, the arm in 3D in the middle, its data right. */

import { t } from "./i18n";
import { ArmList } from "./parts/arm-list";
import { DataPanel } from "./parts/data-panel";
import { OfflineBanner } from "./parts/failure";
import { Header } from "./parts/header";
import { View } from "./parts/view";

export function App() {
  return (
    <div class="workbench">
      <a class="skip" href="#joints" onClick={jumpToJoints}>
        {t("app.skip")}
      </a>
      <Header />
      <OfflineBanner />
      <ArmList />
      <View />
      <DataPanel />
    </div>
  );
}

/** Move the focus without touching the address: what stands behind its # is the arm's name. */
function jumpToJoints(event: Event): void {
  event.preventDefault();
  const first = document.querySelector<HTMLElement>("#joints input");
  first?.focus();
}
