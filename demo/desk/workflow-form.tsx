/** What a workflow is made of, as fields: what it begins with, under which conditions, what it does. */

import { useState } from 'preact/hooks';
import type { Answer } from './api.ts';
import { useKept } from './kept.ts';
import { Schedule } from './schedule.tsx';
import { type At, Several } from './several.tsx';
import { optionalFields, toText } from './workflow-input.ts';

const triggers = {
  event: 'an event',
  schedule: 'a time',
  webhook: 'a call from elsewhere',
  manual: 'a press of Run',
} as const;
const actions: Readonly<Record<string, string>> = {
  call_url: 'Call an address',
  send_email: 'Send an e-mail',
  add_memory: 'Add a source',
  start_chat: 'Ask the agent',
};
const comparisons: Readonly<Record<string, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  exists: 'is there (or, with false, is not)',
  greater_than: 'is greater than',
  less_than: 'is less than',
};
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const long = ['body', 'content', 'message', 'headers'];
const hints: Readonly<Record<string, string>> = {
  headers: 'Headers, one a line, as Name: value (may be empty)',
  tags: 'Tags, parted by commas (may be empty)',
  chat_id: 'In the conversation with this id (may be empty)',
  title: 'Title (may be empty)',
  url: 'Address',
};

/** What it does, in words. */
export function WorkflowSummary({ of }: { of: Answer }) {
  return (
    <>
      {of.conditions.length > 0 && (
        <>
          <h3>Only if</h3>
          <ul class="steps">
            {of.conditions.map(({ field, operator, value }: Answer, index: number) => (
              <li key={`${index} ${field}`}>
                <bdi>
                  <code>{field}</code>
                </bdi>{' '}
                {comparisons[operator] ?? operator} <bdi>{toText(value)}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Does</h3>
      <ol class="steps">
        {of.actions.map((action: Answer, index: number) => (
          <li key={`${index} ${action.type}`}>
            {actions[action.type] ?? action.type}:{' '}
            <bdi>{action.url ?? action.to ?? action.title ?? action.message}</bdi>
            <small dir="auto">{action.content ?? action.subject}</small>
          </li>
        ))}
      </ol>
    </>
  );
}

interface FieldsProps {
  catalog: Answer;
  /** What is changed. */
  of?: Answer;
}

export function WorkflowFields({ catalog, of }: FieldsProps) {
  const [type, setType] = useState<string>(of?.trigger_type ?? 'event');
  const kept = useKept();
  const events: string[] = catalog.triggers.find((one: Answer) => one.type === 'event').events;
  return (
    <>
      <label>
        Name <input name="name" required maxLength={200} defaultValue={of?.name} />
      </label>
      <label>
        Begins with
        <select
          name="trigger_type"
          value={type}
          onChange={(event) => {
            kept.keep(event.currentTarget.form);
            setType(event.currentTarget.value);
          }}
        >
          {Object.entries(triggers).map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {type === 'event' && (
        <label>
          Event
          <select name="trigger_event">
            {events.map((event) => (
              <option
                key={event}
                selected={event === (kept.text('trigger_event') ?? of?.trigger_event ?? 'chat.ended')}
              >
                {event}
              </option>
            ))}
          </select>
        </label>
      )}
      {type === 'schedule' && (
        <Schedule kept={kept} {...(of?.trigger_type === 'schedule' && { of: of.trigger_config })} />
      )}
      <Several
        title="Only if all of these hold"
        name="conditions"
        add="Add a condition"
        noun="condition"
        before={of?.conditions ?? []}
        fresh={{ operator: catalog.operators[0] }}
      >
        {(condition, at) => (
          <>
            <label>
              Of what it is told
              <input name={at('field')} required placeholder="event" defaultValue={condition.field} />
            </label>
            <label>
              Comparison
              <select name={at('operator')}>
                {catalog.operators.map((one: string) => (
                  <option key={one} value={one} selected={one === condition.operator}>
                    {comparisons[one] ?? one}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Value <input name={at('value')} defaultValue={toText(condition.value)} />
            </label>
          </>
        )}
      </Several>
      <Several
        title="What it does, in this order"
        name="actions"
        add="Add an action"
        noun="action"
        before={of?.actions ?? [{ type: 'add_memory' }]}
        fresh={{ type: 'add_memory' }}
        least={1}
      >
        {(action, at) => <ActionFields action={action} at={at} catalog={catalog} />}
      </Several>
      <p class="faint">
        <code>{'{{path}}'}</code> in a text stands for what it was told there, such as{' '}
        <code>{'{{resource_id}}'}</code>.
      </p>
    </>
  );
}

function ActionFields({ action, at, catalog }: { action: Answer; at: At; catalog: Answer }) {
  const [type, setType] = useState<string>(action.type);
  const { keep, text } = useKept();
  const { fields } = catalog.actions.find((one: Answer) => one.type === type);
  const of = action.type === type ? action : {};
  return (
    <>
      <label>
        Action
        <select
          name={at('type')}
          value={type}
          onChange={(event) => {
            keep(event.currentTarget.form, type);
            setType(event.currentTarget.value);
          }}
        >
          {catalog.actions.map((one: Answer) => (
            <option key={one.type} value={one.type}>
              {actions[one.type] ?? one.type}
            </option>
          ))}
        </select>
      </label>
      {fields.map((field: string) => (
        <ActionField
          key={`${type} ${field}`}
          type={type}
          field={field}
          name={at(field)}
          value={text(at(field), type) ?? toText(of[field], field)}
        />
      ))}
    </>
  );
}

interface ActionFieldProps {
  /** Of the action. */
  type: string;
  field: string;
  name: string;
  value: string;
}

function ActionField({ type, field, name, value }: ActionFieldProps) {
  const isJson = field === 'body' && type === 'call_url';
  const label = isJson
    ? 'JSON (empty: what it was told)'
    : (hints[field] ?? field[0]!.toUpperCase() + field.slice(1));
  const given = {
    name,
    required: !isJson && !optionalFields.includes(field),
    defaultValue: value,
  };
  if (field === 'method')
    return (
      <label>
        {label}
        <select name={name}>
          {methods.map((method) => (
            <option key={method} selected={method === (value || 'POST')}>
              {method}
            </option>
          ))}
        </select>
      </label>
    );
  return long.includes(field) ? (
    <label>
      {label} <textarea rows={3} {...given} />
    </label>
  ) : (
    <label>
      {label} <input {...given} />
    </label>
  );
}
