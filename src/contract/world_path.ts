/** Where the URLs of a world begin: `/w/<name>`. Without it a URL leads to the world `default`. */
export const worldPath = '/w'

export const defaultWorld = 'default'

/** The base URL of the emulator that has the world of this base URL; any other stays as it is. */
export const withoutWorld = (baseUrl: string): string => baseUrl.replace(/\/w\/[^/]+\/?$/, '')

/** The base URL of another world of the same emulator. */
export const worldUrl = (baseUrl: string, name: string): string =>
  `${withoutWorld(baseUrl).replace(/\/$/, '')}${worldPath}/${name}`
