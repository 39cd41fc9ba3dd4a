/** Where the URLs of a world begin: `/w/<name>`. Without it a URL leads to the world `default`. */
export const worldPath = '/w'

/** The form of a world's name, and of a snapshot's: it stands in URLs. */
export const worldNamePattern = '^[a-z0-9][a-z0-9._-]{0,62}$'

export const defaultWorld = 'default'

/** The base URL of the emulator that has the world of this base URL; any other stays as it is. */
export const withoutWorld = (baseUrl: string): string => baseUrl.replace(/\/w\/[^/]+\/?$/, '')

/** The base URL of another world of the same emulator. */
export const worldUrl = (baseUrl: string, name: string): string =>
  `${withoutWorld(baseUrl).replace(/\/$/, '')}${worldPath}/${name}`
