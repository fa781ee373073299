import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type RequestContext, type UserContext } from '../request-context';

/** The request that the page answers; null for an error page. */
export const PageRequest = createContext<RequestContext | null>(null);

/** The request of a logged-in user, for components of their pages. */
export function useRequest(): UserContext {
  return useContext(PageRequest) as UserContext;
}
