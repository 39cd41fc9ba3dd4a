/** `failed: account_closed`, for people. */
export const withReason = (ending: string, { state_code }: { readonly state_code: string | null }): string =>
  state_code === null ? ending : `${ending}: ${state_code}`
