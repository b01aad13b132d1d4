import greeting from '../../templates/greeting.yaml?raw';
import list from '../../templates/list.yaml?raw';
import orderRouting from '../../templates/order-routing.yaml?raw';

/** A workflow to start from. Every template runs without credentials. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly yaml: string;
}

export const templates: readonly Template[] = [
  {
    name: 'Empty workflow',
    description: 'Nothing but a manual trigger.',
    yaml: 'name: New workflow\ntrigger: manual\nsteps: []\n',
  },
  { name: 'Answer a webhook', description: 'A request comes in, and its answer greets the sender.', yaml: greeting },
  { name: 'Route by a rule', description: 'A switch decides which step handles an order.', yaml: orderRouting },
  { name: 'Loop over a list', description: 'One step for each item, and a sum of the results.', yaml: list },
];
