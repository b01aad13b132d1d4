import type { Stage } from '../harness/stage.ts';

const prompt = 'You answer customers of a shop. Calculate with the tool. Refund only what the customer paid.';

const yaml = `
name: Refund desk
tags: [support]
trigger: manual
model: {model_name: large, credential: Model provider, input_price: 3, output_price: 12}
steps:
  - id: answer
    type: agent
    prompt: ${prompt}
    input: "{{ trigger.payload.question }}"
    max_steps: 8
    budgets: {tokens: 50, usd: 0.01, tool_calls: 10}
    tools:
      - {id: calculate, type: calculator}
      - {id: refund, type: calculator, tool: {description: Refunds an amount in euros., asks: true}}
`;

/** An agent that has called two tools and waits for a person before a third. Returns the id of its run. */
export async function refundRun({ service, model }: Stage): Promise<string> {
  const usual = model.answer;
  model.answer = (text, request) => {
    const [first] = request.messages;
    if (first?.content !== prompt) return usual(text, request);
    const isAnswered = request.messages.some(({ role }) => role === 'tool');
    if (isAnswered) return { text: 'That makes 42 euros. I refund them.', calls: [refund] };
    return { text: 'I add it up, and look for the order.', calls: [sum, lookup] };
  };
  const post = <T>(path: string, body: object): Promise<T> => service.call<T>(path, { method: 'POST', body });
  await post('workflows/import/', { yaml_str: yaml, slug: 'refund-desk' });
  const payload = { question: 'Three pens for 14 euros each came broken. I want my money back.' };
  const { execution_id: id } = await post<{ execution_id: string }>('workflows/refund-desk/execute/', { payload });
  return id;
}

const lookup = { tool: 'find_order', input: { number: 10482 } };
const sum = { tool: 'calculate', input: { expression: '3 * 14' } };
const refund = { tool: 'refund', input: { expression: '42' } };
