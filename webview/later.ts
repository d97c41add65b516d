/**
 * Views that the first frame does not need. They are in a separate bundle that is loaded on first
 * use (parts.ts). See docs/architecture.md for adding a view.
 */
export { runOnWebgpu } from '../src/webgpu/run';
export { BlockSteps } from './views/blockSteps';
export { CompiledFacts } from './views/compiledFacts';
export { Compare } from './views/compare';
export { EpilogueEditor } from './views/epilogueEditor';
export { Loops } from './views/loops';
export { LayoutDetails } from './views/layoutDetails';
export { MemoryDetails } from './views/memoryDetails';
export { OccupancyDetails } from './views/occupancyDetails';
export { Predict } from './views/predict';
export { PresetList } from './views/presetList';
export { SaveRoofline } from './views/saveRoofline';
export { SaveTileMap } from './views/saveTileMap';
export { RooflineFacts } from './views/rooflineFacts';
export { RooflineLevels } from './views/rooflineLevels';
export { TensorDetails } from './views/tensorDetails';
export { TileMap } from './views/tileMap';
export { Terms } from './views/terms';
export { Tune } from './views/tune';
export { Verdict } from './views/verdict';
export { WaveDetails } from './views/waves';
export { RooflineTables } from './views/rooflineTables';
export { IncorrectResult as WrongResult } from './views/incorrectResult';
