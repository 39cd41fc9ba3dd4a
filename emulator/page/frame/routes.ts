import { type ControlId, controlEndpoints, type EndpointId, endpoints } from '../../../src/contract/index.ts'

/**
 * Method and path template of each endpoint, by id. The build replaces this module with the finished table, so that the
 * page does not contain the schemas.
 */
export const routes = Object.fromEntries(
  Object.entries({ ...endpoints, ...controlEndpoints }).map(([id, { method, path }]) => [id, [method, path]]),
) as unknown as Readonly<Record<ControlId | EndpointId, readonly [method: string, path: string]>>
