/** The workflows that the screenshots show. */

/** Twelve nodes with every kind of connection: routes, slots, a loop, an error. */
export const supportDesk = `
name: Support desk
description: Sorts incoming tickets, answers the simple ones and asks a person about refunds.
tags: [support]
nodes:
  - {id: ticket, type: trigger_webhook, label: New ticket}
  - {id: customer, type: http_request, label: Load customer, url: "https://crm.example/customers/{{ trigger.payload.customer }}"}
  - {id: kind, type: switch, label: Kind of ticket, rules: [{field: trigger.payload.kind, operator: equals, value: refund, id: refund}, {field: trigger.payload.kind, operator: equals, value: question, id: question}]}
  - {id: approve, type: human_confirmation, label: Approve refund, prompt: "Refund {{ trigger.payload.amount }} EUR to {{ customer.result.name }}?"}
  - {id: answer, type: agent, label: Draft an answer, prompt: Answer politely and in two sentences.}
  - {id: model, type: ai_model, label: Model, model_name: large}
  - {id: history, type: conversation_memory, label: Earlier tickets}
  - {id: items, type: loop, label: Each item, items: "{{ trigger.payload.items }}"}
  - {id: pay, type: http_request, label: Pay back, method: POST, url: "https://pay.example/refunds", body: {item: "{{ loop.item }}"}}
  - {id: notify, type: template, label: Write the note, template: "Ticket {{ trigger.payload.number }} is done."}
  - {id: send, type: http_request, label: Send it, method: POST, url: "https://mail.example/send", body: {text: "{{ notify.output }}"}}
  - {id: failed, type: template, label: Report the failure, template: "Customer {{ trigger.payload.customer }} could not be loaded."}
edges:
  - ticket -> customer
  - customer -> kind
  - customer -error-> failed
  - kind -[refund]-> approve
  - kind -[question]-> answer
  - model -llm-> answer
  - history -memory-> answer
  - approve -> items
  - items -loop_body-> pay
  - pay -loop_return-> items
  - items -> notify
  - answer -> send
  - notify -> send
layout:
  ticket: [0, 120]
  customer: [296, 120]
  failed: [592, -120]
  kind: [592, 120]
  approve: [888, 120]
  answer: [888, 376]
  model: [776, 528]
  history: [1016, 528]
  items: [1184, 120]
  pay: [1480, 120]
  notify: [1480, 0]
  send: [1776, 300]
`;

/** A run with every state: retrying, streaming, waiting, a loop in progress, skipped. */
export const morningReport = (site: string): string => `
name: Morning report
tags: [reports]
nodes:
  - {id: start, type: trigger_manual, label: Every morning}
  - {id: weather, type: http_request, label: Load the weather, url: "${site}broken", policies: {retry: {max_attempts: 5, delay_ms: 60000, max_delay_ms: 60000, jitter: false}}}
  - {id: summary, type: agent, label: Summarize the news, prompt: Be brief., input: What happened in the harbour last night?}
  - {id: model, type: ai_model, label: Model, credential: Model provider, model_name: large}
  - {id: ask, type: human_confirmation, label: Ask the editor, prompt: Send the report to 1200 readers?}
  - {id: orders, type: loop, label: Each order, items: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]}
  - {id: load, type: http_request, label: Load the order, url: "${site}order/{{ loop.item }}"}
  - {id: choice, type: switch, label: Is it Monday?, rules: [{field: trigger.payload | length, operator: equals, value: 1, id: monday}], enable_fallback: true}
  - {id: week, type: template, label: Add the week, template: The week}
  - {id: plan, type: template, label: Add the plan, template: The plan}
  - {id: today, type: template, label: Add the day, template: The day}
edges:
  - start -> weather
  - start -> summary
  - start -> ask
  - start -> orders
  - start -> choice
  - model -llm-> summary
  - orders -loop_body-> load
  - load -loop_return-> orders
  - choice -[monday]-> week
  - week -> plan
  - choice -[__other__]-> today
layout:
  start: [0, 300]
  choice: [400, -40]
  week: [800, -80]
  plan: [1096, -80]
  today: [800, 40]
  weather: [400, 180]
  ask: [400, 320]
  orders: [400, 460]
  load: [800, 480]
  summary: [400, 680]
  model: [368, 840]
`;

/** Four problems, some of which the editor can fix. */
export const campaign = `
name: Spring campaign
tags: [ops]
nodes:
  - {id: start, type: trigger_manual, label: Start}
  - {id: write, type: agent, label: Write the text, prompt: Write a friendly text.}
  - {id: audience, type: loop, label: Each reader, items: "{{ trigger.payload.readers }}"}
  - {id: mail, type: http_request, label: Send the mail, method: POST, url: "https://mail.example/send", body: {text: "{{ wriet.output }}"}}
  - {id: loose, type: template, label: Unsubscribe note, template: Unsubscribe here.}
edges:
  - start -> write
  - write -> audience
  - audience -loop_body-> mail
layout:
  start: [0, 120]
  write: [296, 120]
  audience: [592, 120]
  mail: [888, 240]
  loose: [592, 360]
`;

/** Fails in its last step if the payload has no customer. */
export const invoice = `
name: Invoices
tags: [finance]
trigger: manual
steps:
  - {id: order, type: transform, fields: {number: "{{ trigger.payload.number }}", total: "{{ trigger.payload.total * 1.19 }}", lines: "{{ trigger.payload.lines }}"}}
  - {id: pause, type: wait, duration: 1}
  - id: letter
    type: template
    template: |
      Dear {{ trigger.payload.customer.name }},
      your order {{ order.output.number }} comes to {{ order.output.total }} EUR.
  - {id: sent, type: transform, fields: {text: "{{ letter.output }}"}}
`;

/** A chat for the phone. */
export const chat = `
name: Concierge
tags: [chat]
trigger: chat
model: {model_name: large, credential: Model provider}
steps:
  - {id: answer, type: agent, prompt: Be brief.}
`;

/** Names for a list with many rows. */
export const manyNames = [
  'Abandoned carts',
  'Backup check',
  'Birthday greetings',
  'Bug triage',
  'Contract renewals',
  'Daily standup notes',
  'Data export',
  'Expense reports',
  'Feedback survey',
  'GDPR requests',
  'Inventory alerts',
  'Job applications',
  'Lead scoring',
  'Meeting summaries',
  'Newsletter',
  'On-call handover',
  'Price monitor',
  'Release notes',
  'Sales forecast',
  'Shipping updates',
  'Status page',
] as const;
