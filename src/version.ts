import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/** Hint about a file that a newer payctl has written. payctl is in no registry. */
export const howToUpdate = 'Install a newer payctl, as its README says'
