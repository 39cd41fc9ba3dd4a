export type Environment = Readonly<Record<string, string | undefined>>

/** A variable set to nothing counts as not set. */
export const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
