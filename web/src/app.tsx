/** The workbench: tree left, the arm in 3D in the middle, panels right and below. */

import { t } from "./i18n";
import { Splitter } from "./parts/splitter";
import { Toasts } from "./parts/toasts";
import { Banner, Gate } from "./workbench/banner";
import { BottomDock, RightDock } from "./workbench/dock";
import { Guide } from "./workbench/guide";
import { Header } from "./workbench/header";
import {
  type Area,
  boundsOf,
  drawerOpen,
  panelsOf,
  resetSize,
  resize,
  shape,
  sizeOf,
  sizes,
} from "./workbench/layout";
import { Tree } from "./workbench/tree";
import { link } from "./wire";
import { View } from "./workbench/view";

export function App() {
  const isClosed = link.value === "denied" || link.value === "stale";
  return (
    <>
      <Workbench isClosed={isClosed} />
      <Gate />
    </>
  );
}

function Workbench({ isClosed }: { isClosed: boolean }) {
  const { leftOpen, bottomOpen } = sizes.value;
  const isWide = shape.value === "wide";
  const hasBottom = panelsOf("bottom").length > 0;
  return (
    <div
      class="workbench"
      inert={isClosed}
      data-shape={shape.value}
      data-left={isWide ? leftOpen : drawerOpen.value}
      data-bottom={hasBottom && bottomOpen}
      style={{
        "--left": `${sizeOf("left")}px`,
        "--right": `${sizeOf("right")}px`,
        "--bottom": `${sizeOf("bottom")}px`,
      }}
    >
      <a class="skip" href="#right" onClick={jumpToPanel}>
        {t("app.skip")}
      </a>
      <Header />
      <Banner />
      <Guide />
      <Tree />
      {isWide && leftOpen && <Line area="left" />}
      <View />
      <Line area="right" />
      <RightDock />
      {hasBottom && bottomOpen && <Line area="bottom" />}
      <BottomDock />
      <Toasts />
    </div>
  );
}

function Line({ area }: { area: Area }) {
  const isUpright = area !== "bottom" && !(area === "right" && shape.value === "narrow");
  const [lower, upper] = boundsOf(area);
  return (
    <Splitter
      name={area}
      label={t(`splitter.${area}`)}
      orientation={isUpright ? "vertical" : "horizontal"}
      size={sizeOf(area)}
      grows={area === "left" ? 1 : -1}
      lower={lower}
      upper={upper}
      controls={area === "left" ? "tree" : area}
      onSize={(size) => resize(area, size)}
      onReset={() => resetSize(area)}
    />
  );
}

/** Move the focus without touching the address. */
function jumpToPanel(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#right [role=tab][aria-selected=true]")?.focus();
}
