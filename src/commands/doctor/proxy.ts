import type { Target } from '../../config/target.ts'
import type { Context } from '../context.ts'
import { type Finding, failedWith, ok } from './finding.ts'

const variables = ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/** Through what requests go, where the environment names a proxy. Its address may hold a password. */
export async function proxy({ baseUrl }: Target, context: Context): Promise<readonly Finding[]> {
  const named = variables.filter((name) => context.env[name] !== undefined)
  if (named.length === 0) return []
  try {
    const used = await context.proxyFor(baseUrl)
    const detail = used === undefined ? `not used for ${baseUrl}` : `requests go through ${new URL(used).host}`
    return [ok('proxy', `${detail} (${named.join(', ')})`)]
  } catch (error) {
    return [failedWith('proxy', error)]
  }
}
