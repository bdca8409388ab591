/** Language and colours: side by side on a wide screen, behind a button on a small one. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { chooseLanguage, isLanguage, language, LANGUAGE_NAMES, t } from "../i18n";
import { LANGUAGES } from "../i18n/messages";
import { IconButton } from "../parts/icon-button";
import { chooseTheme, theme, THEMES, type Theme } from "../theme";

const isOpen = signal(false);

export function Settings() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leave = (event: Event): void => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) isOpen.value = false;
    };
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
    };
  }, []);
  return (
    <div
      ref={box}
      class="settings"
      data-open={isOpen.value}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen.value) return;
        event.stopPropagation();
        isOpen.value = false;
        box.current?.querySelector("button")?.focus();
      }}
    >
      <IconButton
        icon="settings"
        label={t("settings.label")}
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      />
      <div class="switches">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
    </div>
  );
}

function LanguageSwitch() {
  return (
    <label class="language">
      <span class="unseen">{t("language.label")}</span>
      <select
        value={language.value}
        onChange={(event) =>
          isLanguage(event.currentTarget.value) && chooseLanguage(event.currentTarget.value)
        }
      >
        {LANGUAGES.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {LANGUAGE_NAMES[tag]}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeSwitch() {
  return (
    <div class="segments" role="radiogroup" aria-label={t("theme.label")}>
      {THEMES.map((choice) => (
        <label key={choice} class="segment icon" title={t(`theme.${choice}`)}>
          <input
            type="radio"
            name="theme"
            checked={theme.value === choice}
            aria-label={t(`theme.${choice}`)}
            onChange={() => chooseTheme(choice)}
          />
          <ThemeIcon of={choice} />
        </label>
      ))}
    </div>
  );
}

function ThemeIcon({ of }: { of: Theme }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" class="glyph">
      {of === "auto" && (
        <>
          <circle cx="10" cy="10" r="6.2" />
          <path d="M10 3.800a6.200 6.200 0 0 1 0 12.400z" class="solid" />
        </>
      )}
      {of === "light" && (
        <>
          <circle cx="10" cy="10" r="3.4" />
          <path d="M10 2.500v2M10 15.500v2M2.500 10h2M15.500 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M4.700 15.300l1.400-1.400M13.900 6.100l1.400-1.400" />
        </>
      )}
      {of === "dark" && (
        <path d="M15.800 12.300A6.400 6.400 0 0 1 7.700 4.200a6.400 6.400 0 1 0 8.100 8.100z" />
      )}
    </svg>
  );
}
