// Replaces modules that bundled packages load but that payctl never uses (bundle.ts).
export default {}
