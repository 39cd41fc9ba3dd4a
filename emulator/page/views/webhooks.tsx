import { InTerminal } from '../parts/states.tsx'

export const Webhooks = () => <InTerminal title="nav.webhooks" command="payctl emulator deliveries" />
