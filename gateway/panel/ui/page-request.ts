import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type RequestContext, type UserContext } from '../request-context';

/** The request for which a page is being made; null of a page that tells of an error. */
export const PageRequest = createContext<RequestContext | null>(null);

/** Of whoever is logged in, for the parts of a page that only they see. */
export function useRequest(): UserContext {
  return useContext(PageRequest) as UserContext;
}
