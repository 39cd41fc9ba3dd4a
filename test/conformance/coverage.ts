import {
  type Endpoint,
  endpoints,
  eventNames,
  type OAuthEndpoint,
  oauthEndpoints,
  oauthErrors,
} from '../../src/contract/index.ts'

/** Every behaviour that the contract allows, named as in the observations of a run. */
export function declared(): readonly string[] {
  return [
    ...Object.entries(endpoints).flatMap(([id, row]: [string, Endpoint]) =>
      [row.success.status, ...Object.keys(row.errors)].map((status) => `${id} ${status}`),
    ),
    ...eventNames.map((name) => `event ${name}`),
    ...Object.entries(oauthEndpoints).flatMap(([id, row]: [string, OAuthEndpoint]) => [
      `${id} ${row.success.status}`,
      ...Object.entries(row.errors).map(([code, status]) => `${id} ${status} ${code}`),
      ...row.redirects.map((code) => `${id} 303 ${code}`),
      ...row.pages.map((status) => `${id} ${status}`),
    ]),
    ...Object.keys(oauthErrors).map((code) => `oauth ${code}`),
  ]
}

/** The observations, with each OAuth error also named without its endpoint. */
export const withOAuthErrors = (seen: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([
    ...seen,
    ...[...seen].flatMap((entry) => {
      const code = entry.split(' ')[2]
      return code === undefined ? [] : [`oauth ${code}`]
    }),
  ])
