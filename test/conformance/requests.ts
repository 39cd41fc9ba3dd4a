import { randomUUID } from 'node:crypto'
import { type Endpoint, type EndpointId, endpoints } from '../../src/contract/index.ts'

export const endpointIds = Object.keys(endpoints) as EndpointId[]

/** Members of paths that are well-formed and belong to nobody. */
const nobodys: Readonly<Record<string, string>> = {
  id: randomUUID(),
  phone: '62999999',
  iban: 'CR61010200100000000001',
  provider: 'upstream',
}

/** A request that reaches an endpoint of the table, whatever it makes of it. */
export function requestTo(id: EndpointId): readonly [method: string, path: string] {
  const { method, path }: Endpoint = endpoints[id]
  return [method, path.replace(/\{(\w+)\}/g, (_, name) => nobodys[name] ?? unknownMember(name))]
}

function unknownMember(name: string): never {
  throw new Error(`Add a well-formed {${name}} that belongs to nobody to test/conformance/requests.ts.`)
}
