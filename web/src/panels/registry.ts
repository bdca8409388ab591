/** The panels that exist. To add one: a folder with a default export, its words, and one line here. */

import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon";
import type { Kind } from "../selection";

export interface Panel {
  readonly id: string;
  /** The key of its title. */
  readonly title: string;
  readonly icon: IconName;
  readonly side: "right" | "bottom";
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** Below the view: the share of the window's height that its content needs. */
  readonly share?: number;
  /** What it is about: a double click on such a thing in the tree opens it. */
  readonly about?: readonly Kind[];
}

/** In the order of the tabs. */
export const PANELS: readonly Panel[] = [
  {
    id: "arm",
    title: "arm.title",
    icon: "arm",
    side: "right",
    load: () => import("./arm"),
    about: ["arm", "link", "tool"],
  },
  { id: "jog", title: "jog.title", icon: "jog", side: "right", load: () => import("./jog") },
  {
    id: "kinematics",
    title: "kinematics.title",
    icon: "kinematics",
    side: "right",
    load: () => import("./kinematics"),
  },
  {
    id: "mathematics",
    title: "mathematics.title",
    icon: "mathematics",
    side: "right",
    load: () => import("./mathematics"),
  },
  {
    id: "scene",
    title: "scene.title",
    icon: "scene",
    side: "right",
    load: () => import("./scene"),
    about: ["body", "frame"],
  },
  {
    id: "poses",
    title: "poses.title",
    icon: "pose",
    side: "bottom",
    share: 0.3,
    load: () => import("./poses"),
    about: ["pose"],
  },
  {
    id: "planner",
    title: "planner.title",
    icon: "planner",
    side: "bottom",
    share: 0.5,
    load: () => import("./planner"),
  },
  {
    id: "scenario",
    title: "scenario.title",
    icon: "scenario",
    side: "bottom",
    share: 0.54,
    load: () => import("./scenario"),
  },
  {
    id: "programs",
    title: "programs.title",
    icon: "program",
    side: "bottom",
    share: 0.54,
    load: () => import("./programs"),
  },
  {
    id: "plots",
    title: "plots.title",
    icon: "graph",
    side: "bottom",
    share: 0.42,
    load: () => import("./plots"),
  },
  {
    id: "sensors",
    title: "sensors.title",
    icon: "sensor",
    side: "bottom",
    share: 0.48,
    load: () => import("./sensors"),
  },
  {
    id: "compare",
    title: "compare.title",
    icon: "compare",
    side: "bottom",
    share: 0.54,
    load: () => import("./compare"),
  },
  {
    id: "real",
    title: "real.title",
    icon: "ruler",
    side: "bottom",
    share: 0.5,
    load: () => import("./real"),
  },
];
