import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type RequestContext, type UserContext } from '../request-context';

/** The request for which a page is being made; null for an error page. */
export const PageRequest = createContext<RequestContext | null>(null);

/** The logged-in user, for parts of a page that only they see. */
export function useRequest(): UserContext {
  return useContext(PageRequest) as UserContext;
}
