/** Largest share of the rate that the service takes on each side: its ask price is then three times its bid price. */
export const largestSpread = 0.5
