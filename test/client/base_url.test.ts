import { describe, expect, it } from 'vitest'
import { normalUrl, parseBaseUrl } from '../../src/client/base_url.ts'

describe('a base URL', () => {
  it.each([
    ['HTTP://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://127.1:4010/', 'http://127.0.0.1:4010'],
    ['http://2130706433:4010', 'http://127.0.0.1:4010'],
    ['http://0x7f.0.0.1', 'http://127.0.0.1'],
    ['http://localhost:80//', 'http://localhost'],
    ['https://API.Example.com.:443', 'https://api.example.com'],
    ['https://api.example.com/V1//', 'https://api.example.com/V1'],
    ['https://api.example.com/v2/../V1', 'https://api.example.com/V1'],
    ['https://ejemplo.ÑANDÚ.cr', 'https://ejemplo.xn--and-6ma2c.cr'],
    ['http://[0:0:0:0:0:0:0:1]:4010', 'http://[::1]:4010'],
    ['not a URL/', 'not a URL'],
  ])('%s is %s, however it is written', (text, normal) => {
    expect(normalUrl(text)).toBe(normal)
    expect(normalUrl(normal)).toBe(normal)
    if (!URL.canParse(text)) return
    const { origin, prefix } = parseBaseUrl(text)
    expect(`${origin}${prefix}`).toBe(normal)
  })

  it('keeps apart what may be two services', () => {
    const urls = [
      ...['http://localhost', 'http://127.0.0.1', 'http://[::1]', 'http://127.0.0.2', 'http://0.0.0.0'],
      ...['https://localhost', 'http://localhost:8080', 'http://localhost/v1', 'http://localhost/V1'],
    ]
    expect(new Set(urls.map(normalUrl)).size).toBe(urls.length)
  })
})
