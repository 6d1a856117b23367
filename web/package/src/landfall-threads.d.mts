export { default } from './landfall.mjs';
