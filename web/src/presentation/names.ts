/** What a joint is called in the view. */

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

/** Return the name of a joint as formulas and the maker have it: θ₁ · A1, and d₃ · Z where it slides. */
export function jointName(kind: string, name: string, index: number): string {
  const digits = String(index + 1).replace(/\d/g, (digit) => SUBSCRIPTS[Number(digit)] ?? digit);
  return `${kind === "revolute" ? "θ" : "d"}${digits} · ${name}`;
}
