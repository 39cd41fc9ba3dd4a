/** SINPE's types of identity document by the form of their number; what has no other form is a foreigner's. */
const forms: readonly (readonly [type: number, form: RegExp])[] = [
  [0, /^(0[1-9]|[1-9])\d{8}$/],
  [1, /^1\d{11}$/],
  [2, /^2\d{9}$/],
  [3, /^3\d{9}$/],
  [4, /^4\d{9}$/],
  [5, /^5\d{11}$/],
]
const nonResident = 9

/** The type of a document that is known by its raw number alone. */
export const documentTypeOf = (number: string): number =>
  forms.find(([, form]) => form.test(number))?.[0] ?? nonResident
