import { type Endpoint, type EndpointId, endpoints } from '../../src/contract/index.ts'

export const endpointIds = Object.keys(endpoints) as EndpointId[]

/** An id without a resource. The id is fixed, because names of cases contain it. */
export const nobodysId = '0c7d1c9e-5d0a-4f0e-9d1b-3a8f6e2b7c41'

/** Well-formed path parameters that belong to nobody. */
const nobodys: Readonly<Record<string, string>> = {
  id: nobodysId,
  phone: '62999999',
  iban: 'CR61010200100000000001',
  provider: 'upstream',
}

/** A request that reaches an endpoint of the table, whatever the answer. */
export function requestTo(id: EndpointId): readonly [method: string, path: string] {
  const { method, path }: Endpoint = endpoints[id]
  return [method, path.replace(/\{(\w+)\}/g, (_, name) => nobodys[name] ?? unknownMember(name))]
}

function unknownMember(name: string): never {
  throw new Error(`Add a well-formed {${name}} that belongs to nobody to test/conformance/requests.ts.`)
}
