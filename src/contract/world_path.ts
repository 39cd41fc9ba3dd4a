/** Beginning of a world's URLs: `/w/<name>`. A URL without it leads to the world `default`. */
export const worldPath = '/w'

/** Form of the names of worlds and snapshots, which occur in URLs. */
export const worldNamePattern = '^[a-z0-9][a-z0-9._-]{0,62}$'

export const defaultWorld = 'default'

/** The base URL of the emulator for the base URL of its world; any other URL is returned unchanged. */
export const withoutWorld = (baseUrl: string): string => baseUrl.replace(/\/w\/[^/]+\/?$/, '')

/** The base URL of another world of the same emulator. */
export const worldUrl = (baseUrl: string, name: string): string =>
  `${withoutWorld(baseUrl).replace(/\/$/, '')}${worldPath}/${name}`
