import { beforeEach, describe, expect, test, vi } from "vitest";
import { language } from "../src/i18n";
import { inWords, Phrasebook, type Phrases } from "../src/i18n/phrasebook";
import ru from "../src/i18n/phrasebook/ru.json";
import uk from "../src/i18n/phrasebook/uk.json";

const BOOKS: readonly (readonly [string, Phrases])[] = [
  ["ru", ru],
  ["uk", uk],
];

function holesOf(pattern: string): string[] {
  return (pattern.match(/\{\d+\}/g) ?? []).toSorted();
}

/** Names and units that stay as they are in a Russian sentence. */
function latinWords(text: string): string[] {
  return text.match(/[A-Za-z]{2,}/g) ?? [];
}

beforeEach(() => {
  language.value = "ru";
});

describe("the books", () => {
  test("have the same patterns in the same order", () => {
    expect(Object.keys(uk)).toEqual(Object.keys(ru));
  });

  test.each(BOOKS)("of %s fills every hole once", (_, phrases) => {
    for (const [english, said] of Object.entries(phrases))
      expect(holesOf(said), english).toEqual(holesOf(english));
  });

  test.each(BOOKS)("of %s has its own word for every pattern", (_, phrases) => {
    for (const [english, said] of Object.entries(phrases)) expect(said, english).toMatch(/[а-яґєії]/i);
  });
});

describe("a phrasebook", () => {
  const say = (sentence: string): string => new Phrasebook("ru", ru).say(sentence);

  test("fills holes with numbers and units as the reader writes them", () => {
    expect(say("the point is 12.5 mm out of reach")).toBe("до точки не хватает 12,5 мм");
    expect(say("points[1]: joint 'lift': -12.0mm is outside 0.0…300.0mm")).toBe(
      "points[1]: ось «lift»: −12,0 мм вне пределов 0,0…300,0 мм",
    );
    expect(say("joint 'a': velocity 200.0 °/s at 1.250 s is beyond 180.0 °/s")).toBe(
      "ось «a»: скорость 200,0 °/с в момент 1,250 с выходит за предел 180,0 °/с",
    );
  });

  test("translates what stands in a hole: a hint, and in the hint a branch", () => {
    const hint = "shoulder left, elbow up: joint 'a1' would be 190.0°, 5.0° beyond its upper limit of 185.0°";
    expect(say(`only joint limits keep the tool from this pose; nearest is ${hint}`)).toBe(
      "инструмент не пускают туда только пределы осей; ближе всех плечо слева, локоть вверх: " +
        "ось «a1» встала бы на 190,0°, это на 5,0° за верхним пределом 185,0°",
    );
    expect(say("only joint limits keep the tool from this pose")).toBe(
      "инструмент не пускают туда только пределы осей",
    );
  });

  test("reads sentences that are put together", () => {
    const long =
      "step 2: ur5e can follow the path only to 120.5 mm (40 %, between nodes 1 and 2), on branch 'shoulder left': " +
      "there joint 'elbow' would leave its upper limit of 160.0°; it can be followed with the tool turned by 5.00° " +
      "about its own z axis, or when it is shifted by 2.50 mm along +x";
    expect(say(long)).toBe(
      "шаг 2: ur5e проходит путь только до 120,5 мм (40 %, между узлами 1 и 2) на ветви «плечо слева»: " +
        "там ось «elbow» вышла бы за верхний предел 160,0°; помогает: повернуть инструмент на 5,00° " +
        "вокруг его оси Z или сдвинуть путь на 2,50 мм вдоль +x",
    );
    expect(say("step 3: 'box' is fixed; only a body with a mass can be picked")).toBe(
      "шаг 3: «box» закреплено; взять можно только тело с массой",
    );
    expect(say("steps[1].seconds: input should be greater than or equal to 0.001, got 0")).toBe(
      "steps[1].seconds: значение должно быть не меньше 0,001, а дано 0",
    );
    expect(say("this is no scenario of armlab: steps: is missing; nane: unknown key")).toBe(
      "это не сценарий armlab: steps: не задано; nane: неизвестный ключ",
    );
  });

  test("calls schemes and kinds of bodies as the page does", () => {
    expect(say("times: smooth takes none; the limits give them")).toBe(
      "схема «Плавно» не принимает времён: их определяют пределы",
    );
    expect(say("bodies[1]: a conveyor needs size; a conveyor has no points")).toBe(
      "bodies[1]: конвейер: нужен ключ «size»; конвейер: ключ «points» здесь не нужен",
    );
  });

  test("leaves names alone, even when they are words of the book", () => {
    expect(say("the tool holds 'scene' already")).toBe("инструмент уже держит «scene»");
    expect(say("pick: 'robot' is 80 mm away from the tool; at most 30 mm are allowed")).toBe(
      "до «robot» от инструмента 80 мм; допустимо не больше 30 мм",
    );
  });

  test("leaves what it does not know", () => {
    expect(say("something quite new")).toBe("something quite new");
    expect(say("")).toBe("");
  });

  test.each(BOOKS)("of %s says each of its patterns, and nothing of it stays English", (_, phrases) => {
    const made = new Phrasebook("ru", phrases);
    const fixed = new Set(latinWords(Object.values(phrases).join(" ")));
    for (const english of Object.keys(phrases)) {
      const said = made.say(english.replace(/\{(\d+)\}/g, (_whole, at: string) => `${Number(at) + 7}`));
      expect(
        latinWords(said).filter((word) => !fixed.has(word)),
        english,
      ).toEqual([]);
    }
  });
});

describe("inWords", () => {
  test("says sentences in the language of the page, as soon as its book is there", async () => {
    await vi.waitFor(() => expect(inWords("the tool holds nothing")).toBe("инструмент ничего не держит"));
    language.value = "uk";
    await vi.waitFor(() => expect(inWords("the tool holds nothing")).toBe("інструмент нічого не тримає"));
    language.value = "en";
    expect(inWords("the tool holds nothing")).toBe("the tool holds nothing");
  });
});
