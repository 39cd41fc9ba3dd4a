import type { FunctionAt, ReceivingFunction } from '../../emulator/index.ts'
import { EmulatorRefusal } from '../../emulator/options.ts'

/** Functions of this process that receive the deliveries to their URLs. Each world has its own functions. */
export class ReceivingFunctions {
  readonly #byWorld = new Map<string, Map<string, ReceivingFunction>>()

  /** Replaces an earlier function for the same URL. Returns a function that removes the added function. */
  add(world: string, address: string, take: ReceivingFunction): () => void {
    const url = URL.parse(address)
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new EmulatorRefusal(
        `receive takes an http or https URL, but got ${address}.`,
        'Give the URL of a subscription.',
      )
    }
    const own = this.#byWorld.get(world) ?? new Map<string, ReceivingFunction>()
    this.#byWorld.set(world, own.set(placeOf(url), take))
    return () => {
      if (own.get(placeOf(url)) === take) own.delete(placeOf(url))
    }
  }

  readonly at: FunctionAt = (world, url) => this.#byWorld.get(world)?.get(placeOf(url))

  /** Removes the functions of a world that has ended. */
  removeAll(world: string): void {
    this.#byWorld.delete(world)
  }
}

/** Deliveries to URLs that differ only in the query have the same receiver. */
const placeOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`
