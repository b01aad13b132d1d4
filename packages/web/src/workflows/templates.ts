import agent from '../../templates/agent.yaml?raw';
import greeting from '../../templates/greeting.yaml?raw';
import list from '../../templates/list.yaml?raw';
import localAgent from '../../templates/local-agent.yaml?raw';
import orderRouting from '../../templates/order-routing.yaml?raw';

/** A workflow to start from. It runs at once, unless its description says what it needs. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly yaml: string;
  /** A model server without a key. The text names its credential, which is created if there is none with the name. */
  readonly server?: { readonly credential: string; readonly baseUrl: string };
}

/** Where Ollama, the most common server for models of one's own, listens. */
const localServer = { credential: 'Local model', baseUrl: 'http://127.0.0.1:11434/v1' };

export const templates: readonly Template[] = [
  {
    name: 'Empty workflow',
    description: 'Nothing but a manual trigger.',
    yaml: 'name: New workflow\ntrigger: manual\nsteps: []\n',
  },
  { name: 'Answer a webhook', description: 'A request comes in, and its answer greets the sender.', yaml: greeting },
  { name: 'Route by a rule', description: 'A switch decides which step handles an order.', yaml: orderRouting },
  { name: 'Loop over a list', description: 'One step for each item, and a sum of the results.', yaml: list },
  {
    name: 'Agent with tools',
    description: 'A chat with a model that calls tools. Needs a credential of OpenAI or of any compatible server.',
    yaml: agent,
  },
  {
    name: 'Agent on this machine',
    description: `The same without a key. Needs a model server on this machine, such as Ollama, and creates the credential “${localServer.credential}” with its address.`,
    yaml: localAgent,
    server: localServer,
  },
];
