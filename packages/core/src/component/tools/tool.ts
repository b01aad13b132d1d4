import type { JsonObject } from '../../json.ts';
import type { ModelTool } from '../model.ts';
import type { Effect } from './effect.ts';

/** How nodes of a type are tools. */
export interface ToolOffer {
  /** What it does, for a model. */
  readonly description: string;
  /** The config keys that a model may fill where the config leaves them open. */
  readonly fills: readonly string[];
  /** Those of them that a call cannot do without. */
  readonly requires?: readonly string[];
  /** Whether people outside write what it returns. */
  readonly isUntrusted?: true;
  /** What a model may fill with this config, if less than `fills`. */
  readonly fillsWith?: (config: JsonObject) => Pick<ToolOffer, 'fills' | 'requires'>;
  /** The output that is the result for the model. Default: the first one. */
  readonly port?: string;
  /** What is known about a tool only when an agent starts; the settings of the node take precedence. */
  readonly describe?: (config: JsonObject, ctx: ToolDescriber) => Promise<ToolDescription>;
  /** How a call with this config may be repeated, if not as the type says. */
  readonly effectOf?: (config: JsonObject) => Effect;
}

/** What the description of a tool may depend on. */
interface ToolDescriber {
  workflowInput(slug: string): Promise<ToolDescription>;
}

/** A part of the description of a tool. */
export interface ToolDescription {
  readonly description?: string;
  readonly parameters?: JsonObject;
}

/** A tool as an agent has it. */
export interface Tool extends ModelTool {
  /** The node that is called. */
  readonly to: string;
  readonly effect: Effect;
  readonly asks: boolean;
  readonly isUntrusted: boolean;
  /** The output whose value is the result for the model. */
  readonly port: string;
}
