import { t } from '../../languages/t';

/** Short labels of the platform's error codes for failed messages. */
export const failureNames = (): Record<number, string> => ({
  131026: t('Cannot be reached'),
  131047: t('Window closed'),
  131049: t('Too much marketing'),
  131050: t('Marketing stopped'),
  130472: t('In an experiment'),
  131053: t('File not fetched'),
  131056: t('Too many to one'),
  130429: t('Too many a second'),
  131031: t('Account locked'),
  131000: t('Something went wrong'),
  131042: t('Payment problem'),
  131045: t('Number not registered'),
  131048: t('Quality too low'),
  132000: t('Template values do not fit'),
  132001: t('Template not found'),
  132015: t('Template paused'),
});
