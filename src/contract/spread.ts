/** The largest share of the rate that the service keeps on each side: it then asks three times what it bids. */
export const largestSpread = 0.5
