/** The workbench: tree left, the arm in 3D in the middle, panels right and below. */

import { t } from "./i18n";
import { DropZone } from "./importing/drop-zone";
import { Splitter } from "./parts/splitter";
import { Toasts } from "./parts/toasts";
import { isPresenting } from "./presentation/state";
import { Banner, Gate } from "./workbench/banner";
import { BottomDock, RightDock } from "./workbench/dock";
import { Guide } from "./workbench/guide";
import { Header } from "./workbench/header";
import {
  type Area,
  boundsOf,
  drawerOpen,
  isFull,
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
      {!isClosed && <DropZone />}
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
      data-full={bottomOpen && isFull.value && !isPresenting.value}
      data-presenting={isPresenting.value}
      style={{
        "--left": `${sizeOf("left")}px`,
        "--right": `${sizeOf("right")}px`,
        "--bottom": `${sizeOf("bottom")}px`,
      }}
    >
      <SkipLinks />
      <Header />
      <Banner />
      <Guide />
      <Tree />
      {isWide && leftOpen && <Line area="left" />}
      <View />
      <Line area="right" />
      <RightDock />
      {hasBottom && bottomOpen && !isFull.value && <Line area="bottom" />}
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

/** Where the keyboard may jump to, past the head: seen only while one of them has the focus. */
const SKIPS = [
  ["app.skip", "right", "#right [role=tab][aria-selected=true]"],
  ["app.skipView", "view", ".view canvas"],
  ["app.skipBelow", "bottom", "#bottom [role=tab][aria-selected=true]"],
] as const;

function SkipLinks() {
  return (
    <nav class="skips" aria-label={t("app.skipAll")}>
      {SKIPS.map(([words, id, target]) => (
        <a
          key={id}
          class="skip"
          href={`#${id}`}
          onClick={(event) => {
            event.preventDefault(); // the address holds the arm's name
            document.querySelector<HTMLElement>(target)?.focus();
          }}
        >
          {t(words)}
        </a>
      ))}
    </nav>
  );
}
