/** An answer with one of everything that markdown has. */
export const longAnswer = `# Care of a down bag

A bag that is *clean* lofts better. Wash it **once a season**, or when it no longer fills its tube; see the
[care guide](https://shop.example/care) and ~~not~~ the label of another bag.

## Steps

1. Close every zip and turn the bag inside out.
2. Wash at 30 °C with a soap for down:
   - no softener
   - no bleach
3. Dry on low heat, with two clean tennis balls.

| Bag | Wash | Dry on low heat | Weight |
| :-- | :-: | --: | --- |
| Lark 20 | 30 °C | 3 hours | 940 g |
| Meadow 35 | 40 °C | 1 hour | 1,280 g |

> A wet bag is heavy. Lift it from below, or the seams tear.

- [x] Zips closed
- [ ] Pockets empty

\`\`\`js
const dryingHours = (fillGrams) => Math.ceil(fillGrams / 300); // a long line that goes on past the edge
\`\`\`

---

Use \`dryingHours(940)\` to plan ahead. [1]
`;
