import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { allScopes } from '../../../src/contract/index.ts'
import { startWorld, type World } from './world.ts'

const as = ({ emulator }: World, token: string) =>
  createClient({ baseUrl: emulator.baseUrl, token, retries: 0, strict: true })

describe('users', () => {
  it('are created with what is given, the rest made up', async () => {
    const { steer } = await startWorld()
    const before = await steer('control.users.list')
    const plain = await steer('control.users.create', { body: { name: 'Luis Mora' } })
    expect(plain).toMatchObject({
      name: 'Luis Mora',
      email: expect.stringMatching(/^user\d+@example\.com$/),
      phone: null,
      document_type: 0,
    })
    const body = { name: 'Sofía', email: 's@x.cr', phone: '50661234567', document_number: '155812345678' }
    const full = await steer('control.users.create', { body })
    expect(full).toMatchObject({ ...body, phone: '61234567', document_type: 1 })
    expect(await steer('control.users.list')).toEqual([...before, plain, full])
  })

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'A', phone: '88001234' }, 'phone'],
    [{ name: 'A', phone: '87000001' }, 'phone'],
    [{ name: 'A', phone: '99' }, 'phone'],
    [{ name: 'A', email: 'no' }, 'email'],
    [{ name: 'A', document_number: '!' }, 'document_number'],
  ])('%j is refused because of its %s', async (body, field) => {
    const { ask } = await startWorld()
    const answer = await ask('control.users.create', { body })
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
  })
})

describe('tokens', () => {
  it('are minted for a user, with scopes, shown once', async () => {
    const world = await startWorld()
    const { steer } = world
    const other = await steer('control.users.create', { body: { name: 'Luis Mora' } })
    const minted = await steer('control.tokens.mint', { body: { user: other.id.toUpperCase(), scopes: ['read-user'] } })
    expect(minted).toMatchObject({ user: other.id, scopes: ['read-user'], expires_at: null, revoked_at: null })
    const client = as(world, minted.token)
    expect(await client.call('user.get')).toMatchObject({ id: other.id })
    await expect(client.call('accounts.list')).rejects.toMatchObject({ status: 403 })
    await client.close()
    const { token, ...entry } = minted
    const all = await steer('control.tokens.list')
    expect(all).toContainEqual(entry)
    expect(JSON.stringify(all)).not.toContain(token)
  })

  it('are the seeded user’s with every scope and no end, when nothing else is said', async () => {
    const { steer } = await startWorld()
    const [user] = await steer('control.users.list')
    const minted = await steer('control.tokens.mint', { body: {} })
    expect(minted).toMatchObject({ user: user?.id, scopes: [...allScopes], expires_at: null })
  })

  it('end when they expire', async () => {
    const world = await startWorld()
    const { token } = await world.steer('control.tokens.mint', { body: { expires_in: 60 } })
    const client = as(world, token)
    await client.call('user.get')
    await world.steer('control.clock.advance', { body: { ms: 60_000 } })
    await expect(client.call('user.get')).rejects.toMatchObject({ status: 401 })
    await client.close()
  })

  it('end when they are revoked', async () => {
    const world = await startWorld()
    const { token, id } = await world.steer('control.tokens.mint', { body: {} })
    const client = as(world, token)
    await client.call('user.get')
    const revoked = await world.steer('control.tokens.revoke', { params: { id: String(id) } })
    expect(revoked.revoked_at).not.toBeNull()
    await expect(client.call('user.get')).rejects.toMatchObject({ status: 401 })
    expect(await world.steer('control.tokens.revoke', { params: { id: String(id) } })).toEqual(revoked)
    await world.client.call('user.get')
    await client.close()
  })

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['everything'] }, 'scopes.0'],
    [{ scopes: ['read-user', 'read-user'] }, 'scopes'],
    [{ scopes: 'read-user' }, 'scopes'],
    [{ expires_in: 0 }, 'expires_in'],
    [{ expires_in: '60' }, 'expires_in'],
    [{ user: 'me' }, 'user'],
    [{ user: '01900000-0000-7000-8000-00000000ffff' }, 'user'],
  ])('%j is refused because of its %s', async (body, field) => {
    const { ask } = await startWorld()
    const answer = await ask('control.tokens.mint', { body })
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
  })

  it('that do not exist can’t be revoked', async () => {
    const { ask } = await startWorld()
    expect((await ask('control.tokens.revoke', { params: { id: '999' } })).status).toBe(404)
    expect((await ask('control.tokens.revoke', { params: { id: 'abc' } })).status).toBe(422)
  })
})

describe('OAuth clients', () => {
  const body = { name: 'Mi Contador', redirect_uris: ['https://app.example/callback', 'http://127.0.0.1/cb'] }

  it('are created with a secret that is shown once', async () => {
    const { steer } = await startWorld()
    const created = await steer('control.clients.create', { body })
    expect(created).toMatchObject({ ...body, scopes: [...allScopes] })
    const { client_secret, ...entry } = created
    const all = await steer('control.clients.list')
    expect(all).toContainEqual(entry)
    expect(JSON.stringify(all)).not.toContain(client_secret)
    const own = await steer('control.clients.create', { body: { ...body, client_id: 'mine', scopes: ['read-user'] } })
    expect(own).toMatchObject({ client_id: 'mine', scopes: ['read-user'] })
  })

  it('have their own ids', async () => {
    const { steer, ask } = await startWorld()
    await steer('control.clients.create', { body: { ...body, client_id: 'mine' } })
    expect((await ask('control.clients.create', { body: { ...body, client_id: 'mine' } })).status).toBe(409)
  })

  it.each([
    [{ ...body, name: '' }, 'name'],
    [{ ...body, redirect_uris: [] }, 'redirect_uris'],
    [{ ...body, redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris.0'],
    [{ ...body, redirect_uris: ['https://app.example/#x'] }, 'redirect_uris.0'],
    [{ ...body, redirect_uris: ['http://[/'] }, 'redirect_uris'],
    [{ ...body, scopes: ['all'] }, 'scopes.0'],
    [{ ...body, redirect_uris: ['data:text/html,x'] }, 'redirect_uris.0'],
    [{ ...body, redirect_uris: ['wallet:/callback'] }, 'redirect_uris.0'],
    [{ ...body, redirect_uris: ['com.example.app:/callback#x'] }, 'redirect_uris.0'],
    [{ ...body, client_id: 'a b' }, 'client_id'],
    [{ ...body, client_secret: 'two words' }, 'client_secret'],
    [{ ...body, client_secret: 'secret', public: true }, 'client_secret'],
  ])('%j is refused because of its %s', async (given, field) => {
    const { ask } = await startWorld()
    const answer = await ask('control.clients.create', { body: given })
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
  })
})
