import {
  type AccountStatus,
  entityName,
  entityOfIban,
  type IbanStatus,
  type InputOf,
  nationalPhone,
  type OutputOf,
} from '../../src/contract/index.ts'
import { serviceRates, shownRate, upstreamRates } from '../domain/rates.ts'
import { Refusal } from '../domain/refusal.ts'
import { emulatorEntity } from '../domain/sinpe.ts'
import type { Context } from '../http/context.ts'

/** All holders have Costa Rican accounts. */
const countryCode = 'CR'

/** Account status as lookups show it. */
const shownStatus: Readonly<Record<AccountStatus, IbanStatus>> = {
  active: 'active',
  inactive: 'blocked',
  closed: 'closed',
}

export function phoneInformation(
  { params }: InputOf<'phone.information'>,
  { world }: Context,
): OutputOf<'phone.information'> {
  const phone = nationalPhone(params.phone)
  const account = world.store.accounts.byPhone(phone)
  const holder = account
    ? {
        name: account.owner_name,
        document_number: account.document_number,
        currency: account.currency,
        entity: emulatorEntity,
      }
    : world.store.registry.get(phone)
  if (!holder) throw new Refusal(404)
  return {
    phone_number: params.phone,
    name: holder.name,
    document_number: holder.document_number,
    document_type: null,
    currency: holder.currency,
    country_code: countryCode,
    entity_name: entityName(holder.entity),
    status: 'registered',
  }
}

export function ibanInformation(
  { params: { iban } }: InputOf<'iban.information'>,
  { world }: Context,
): OutputOf<'iban.information'> {
  const account = world.store.accounts.byIban(iban)
  const holder = account
    ? { ...account, name: account.owner_name, status: shownStatus[account.status] }
    : world.store.registry.get(iban)
  if (!holder) throw new Refusal(404)
  return {
    iban,
    name: holder.name,
    document_number: holder.document_number,
    document_type: holder.document_type,
    currency: holder.currency,
    country_code: countryCode,
    entity_name: entityName(entityOfIban(iban)),
    status: holder.status,
  }
}

/** A host that cannot exist (RFC 6761): no server provides these rates. */
const source = 'https://rates.payctl.invalid'

export function getRates(_: unknown, { world, now }: Context): OutputOf<'fx.rates'> {
  const settings = world.settings.get('rates')
  if (settings.offline) throw new Refusal(503)
  return shownRate(serviceRates(settings, now), source)
}

export function getUpstreamRates({ params }: InputOf<'fx.upstream'>, { world, now }: Context): OutputOf<'fx.upstream'> {
  if (params.provider !== world.options.fxProvider) throw new Refusal(404)
  const settings = world.settings.get('rates')
  if (settings.offline) throw new Refusal(503)
  return shownRate(upstreamRates(settings, now), source)
}
