interface Ended {
  readonly state_code: string | null | undefined
}

/** `failed: account_closed`, for people. */
export const withReason = (ending: string, { state_code }: Ended): string =>
  state_code ? `${ending}: ${state_code}` : ending
