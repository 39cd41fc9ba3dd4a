/** 10, 100, 1000, ... seconds after the first, second, third, ... failed attempt: milliseconds. */
export const retryDelay = (failedAttempts: number, first = 10_000): number => first * 10 ** (failedAttempts - 1)
