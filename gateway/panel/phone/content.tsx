import { type ComponentChildren, type VNode } from 'preact';
import { withoutDirections } from '../../cloud-api/written-text';
import { t } from '../languages/t';
import { messageKind } from '../ui/words/kind-words';
import { Picture } from '../chat/picture';
import { contentOf, sizeOf } from './chat';
import { isPicture } from './media';
import { at, inside, isObject, objects, textOf, type Json } from '../../cloud-api/json/json-value';
import { type PhoneMessage } from '../send/sandbox-client';
import { firstHost, PhoneText, WebLink } from '../ui/formatted-text';

/** The panel's address for a file of the sandbox. */
const fileAddress = (id: string): string => `/panel/phone/files/${encodeURIComponent(id)}`;

const FILES = ['image', 'video', 'audio', 'document', 'sticker'];

/** The content of a message as a phone shows it, without the buttons below. */
export function Content({ message }: { message: PhoneMessage }): VNode {
  const { type } = message;
  const content = contentOf(message);
  if (type === 'template' && message.card) return <TemplateCard message={message} />;
  if (FILES.includes(type) && isObject(content))
    return <FileOf type={type} media={content} files={message.files} />;
  switch (type) {
    case 'text':
      return <Words text={textOf(isObject(content) && content.body)} content={content} />;
    case 'interactive':
      return <Interactive content={content} files={message.files} />;
    case 'button':
      return <PhoneText text={textOf(isObject(content) && content.text)} />;
    case 'location':
      return <Location location={isObject(content) ? content : {}} />;
    case 'contacts':
      return <Cards cards={Array.isArray(content) ? content.filter(isObject) : []} />;
    case 'order':
      return <Order content={content} />;
    default:
      return <p class="chat-kind">{messageKind(type)}</p>;
  }
}

function Words({ text, content }: { text: string; content: unknown }): VNode {
  const host = isObject(content) && content.preview_url === true ? firstHost(text) : null;
  return (
    <>
      {host && (
        <p class="chat-preview">
          <strong class="long">{host}</strong>
          <span>{t('A real phone shows a preview of this page here.')}</span>
        </p>
      )}
      <PhoneText text={text} />
    </>
  );
}

interface FileProps {
  type: string;
  media: Json;
  files: PhoneMessage['files'];
}

function FileOf(props: FileProps): VNode {
  const caption = textOf(props.media.caption);
  return (
    <>
      <Attachment {...props} />
      {caption && <PhoneText text={caption} />}
    </>
  );
}

const ICONS: Record<string, string> = {
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01',
  video: 'M4 6h11v12H4zM15 10l5-3v10l-5-3',
  audio: 'M9 18V6l9-2v12M9 18a2.5 2.5 0 1 1-2-2.4M18 16a2.5 2.5 0 1 1-2-2.4',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  sticker: 'M5 4h14v10l-5 6H5zM19 14h-5v6',
  location: 'M12 21s7-6.2 7-11a7 7 0 1 0-14 0c0 4.8 7 11 7 11zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
  contacts: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c1-4 4-6 8-6s7 2 8 6',
};

function Icon({ of }: { of: string }): VNode {
  return (
    <svg class="chat-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d={ICONS[of] ?? ICONS.document} />
    </svg>
  );
}

/** A file. Only pictures of the sandbox are shown, and nothing is loaded from other hosts. */
function Attachment({ type, media, files = {} }: FileProps): VNode {
  const id = textOf(media.id);
  const file = Object.hasOwn(files, id) ? files[id] : undefined;
  const link = textOf(media.link);
  const name = withoutDirections(textOf(media.filename));
  if (file && isPicture(file.mime_type))
    return (
      <Picture
        class="chat-picture"
        id={id}
        href={fileAddress(id)}
        alt={textOf(media.caption) || `${messageKind(type)}, ${sizeOf(file.bytes)}`}
        kind={type}
      />
    );
  const label = name || (type === 'audio' && media.voice === true ? t('Voice message') : messageKind(type));
  const elsewhere = link
    ? t.rich('on the web, not fetched here: {link}', { link: <WebLink href={link}>{link}</WebLink> })
    : t('The sandbox has forgotten this file.');
  const detail = file ? `${sizeOf(file.bytes)} · ${file.mime_type.slice(0, 60)}` : elsewhere;
  return (
    <div class="chat-file">
      <Icon of={type} />
      <div>
        {file ? (
          <a href={fileAddress(id)} download={name || true} class="long">
            <bdi>{label}</bdi>
          </a>
        ) : (
          <strong class="long">
            <bdi>{label}</bdi>
          </strong>
        )}
        <span class="chat-detail">{detail}</span>
      </div>
    </div>
  );
}

function Location({ location }: { location: Json }): VNode {
  const [latitude, longitude] = [Number(location.latitude), Number(location.longitude)];
  return (
    <div class="chat-place">
      <svg class="chat-map" viewBox="0 0 240 96" aria-hidden="true" preserveAspectRatio="xMidYMid slice">
        <path class="chat-map-road" d="M-5 70 60 52l70 14 60-30 60-6M70 -5l14 60 30 50M176 -5l-6 46 30 60" />
        <path
          class="chat-map-pin"
          d="M120 66s18-16 18-29a18 18 0 1 0-36 0c0 13 18 29 18 29zm0-22a7 7 0 1 1 0-14 7 7 0 0 1 0 14z"
        />
      </svg>
      {textOf(location.name) && (
        <strong dir="auto" class="long">
          {textOf(location.name)}
        </strong>
      )}
      {textOf(location.address) && (
        <span dir="auto" class="long">
          {textOf(location.address)}
        </span>
      )}
      <span class="chat-detail number">
        {latitude.toFixed(5)}, {longitude.toFixed(5)}
      </span>
    </div>
  );
}

function Cards({ cards }: { cards: Json[] }): VNode {
  return (
    <ul class="chat-cards">
      {cards.slice(0, 20).map((card, index) => (
        <li key={index} class="chat-file">
          <Icon of="contacts" />
          <div>
            <strong class="long" dir="auto">
              {textOf(inside(card, 'name').formatted_name) || t('Contact card')}
            </strong>
            {objects(at(card, 'phones')).map((phone, number) => (
              <span key={number} class="chat-detail long">
                {textOf(phone.phone)}
              </span>
            ))}
            {objects(at(card, 'emails')).map((email, number) => (
              <span key={number} class="chat-detail long">
                {textOf(email.email)}
              </span>
            ))}
          </div>
        </li>
      ))}
      {cards.length > 20 && (
        <li class="chat-detail">{t('and {count, number} more', { count: cards.length - 20 })}</li>
      )}
    </ul>
  );
}

function Order({ content }: { content: unknown }): VNode {
  const items = objects(at(content, 'product_items'));
  return (
    <div class="chat-place">
      <strong>{t('Order')}</strong>
      {items.slice(0, 10).map((item, index) => (
        <span key={index} class="chat-detail long">
          {textOf(item.quantity)} × {textOf(item.product_retailer_id)}, {textOf(item.item_price)}{' '}
          {textOf(item.currency)}
        </span>
      ))}
    </div>
  );
}

function Header({ header, files }: { header: Json; files: PhoneMessage['files'] }): VNode | null {
  const type = textOf(header.type);
  if (type === 'text')
    return (
      <strong class="chat-header" dir="auto">
        {textOf(header.text)}
      </strong>
    );
  return FILES.includes(type) ? <Attachment type={type} media={inside(header, type)} files={files} /> : null;
}

/**
 * A message of the line shows its question, list or link. A message of the contact shows the tapped choice.
 */
function Interactive({ content, files }: { content: unknown; files: PhoneMessage['files'] }): VNode {
  const reply = [inside(content, 'button_reply'), inside(content, 'list_reply')].find(({ title }) => title);
  if (reply)
    return (
      <>
        <PhoneText text={textOf(reply.title)} />
        {textOf(reply.description) && <span class="chat-detail">{textOf(reply.description)}</span>}
      </>
    );
  const filled = inside(content, 'nfm_reply').response_json;
  if (filled !== undefined)
    return (
      <>
        <p class="chat-kind">{t('Form filled in')}</p>
        <span class="chat-detail long">{textOf(filled).slice(0, 500)}</span>
      </>
    );
  const footer = textOf(inside(content, 'footer').text);
  return (
    <>
      <Header header={inside(content, 'header')} files={files} />
      <PhoneText text={textOf(inside(content, 'body').text)} />
      {footer && <Footer>{footer}</Footer>}
    </>
  );
}

const Footer = ({ children }: { children: ComponentChildren }): VNode => (
  <p class="quiet small" dir="auto">
    {children}
  </p>
);

/** The file in a message's header. A template only has the kind of file, so the message provides the file. */
function headerFile(message: PhoneMessage): { type: string; media: Json } | null {
  const components = objects(at(contentOf(message), 'components'));
  const header = components.find(({ type }) => textOf(type).toLowerCase() === 'header');
  const [parameter] = objects(at(header, 'parameters'));
  const type = textOf(parameter?.type).toLowerCase();
  if (type === 'location' || FILES.includes(type)) return { type, media: inside(parameter, type) };
  return null;
}

function CardHeader({ message }: { message: PhoneMessage }): VNode | null {
  const file = headerFile(message);
  if (file?.type === 'location') return <Location location={file.media} />;
  if (file) return <Attachment type={file.type} media={file.media} files={message.files} />;
  const header = message.card?.header;
  if (!header) return null;
  return (
    <strong class="chat-header" dir="auto">
      {header}
    </strong>
  );
}

function TemplateCard({ message }: { message: PhoneMessage }): VNode {
  const { body = '', footer } = message.card ?? {};
  return (
    <>
      <CardHeader message={message} />
      <PhoneText text={body} />
      {footer && <Footer>{footer}</Footer>}
    </>
  );
}
