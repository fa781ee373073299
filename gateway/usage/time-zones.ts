/**
 * The platform's time zones, which answers name by `timezone_id`. In the order of their ids, the first is 1.
 * https://developers.facebook.com/docs/marketing-api/reference/ad-account/timezone-ids (as of v2.12, which the Python
 * package facebook_timezones 0.2 repeats; read on 2026-11-29). The platform's later ids are not known here.
 */
const TIME_ZONES = [
  ...['America/Los_Angeles', 'America/Denver', 'Pacific/Honolulu', 'America/Anchorage', 'America/Phoenix'],
  ...['America/Chicago', 'America/New_York', 'Asia/Dubai', 'America/Argentina/San_Luis'],
  ...['America/Argentina/Buenos_Aires', 'America/Argentina/Salta', 'Europe/Vienna', 'Australia/Perth'],
  ...['Australia/Broken_Hill', 'Australia/Sydney', 'Europe/Sarajevo', 'Asia/Dhaka', 'Europe/Brussels'],
  ...['Europe/Sofia', 'Asia/Bahrain', 'America/La_Paz', 'America/Noronha', 'America/Campo_Grande'],
  ...['America/Belem', 'America/Sao_Paulo', 'America/Nassau', 'America/Dawson', 'America/Vancouver'],
  ...[
    'America/Dawson_Creek',
    'America/Edmonton',
    'America/Rainy_River',
    'America/Regina',
    'America/Atikokan',
  ],
  ...['America/Iqaluit', 'America/Toronto', 'America/Blanc-Sablon', 'America/Halifax', 'America/St_Johns'],
  ...['Europe/Zurich', 'Pacific/Easter', 'America/Santiago', 'Asia/Shanghai', 'America/Bogota'],
  ...['America/Costa_Rica', 'Asia/Nicosia', 'Europe/Prague', 'Europe/Berlin', 'Europe/Copenhagen'],
  ...['America/Santo_Domingo', 'Pacific/Galapagos', 'America/Guayaquil', 'Europe/Tallinn', 'Africa/Cairo'],
  ...['Atlantic/Canary', 'Europe/Madrid', 'Europe/Helsinki', 'Europe/Paris', 'Europe/London', 'Africa/Accra'],
  ...['Europe/Athens', 'America/Guatemala', 'Asia/Hong_Kong', 'America/Tegucigalpa', 'Europe/Zagreb'],
  ...['Europe/Budapest', 'Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura', 'Europe/Dublin', 'Asia/Jerusalem'],
  ...['Asia/Kolkata', 'Asia/Baghdad', 'Atlantic/Reykjavik', 'Europe/Rome', 'America/Jamaica', 'Asia/Amman'],
  ...['Asia/Tokyo', 'Africa/Nairobi', 'Asia/Seoul', 'Asia/Kuwait', 'Asia/Beirut', 'Asia/Colombo'],
  ...['Europe/Vilnius', 'Europe/Luxembourg', 'Europe/Riga', 'Africa/Casablanca', 'Europe/Skopje'],
  ...['Europe/Malta', 'Indian/Mauritius', 'Indian/Maldives', 'America/Tijuana', 'America/Hermosillo'],
  ...['America/Mazatlan', 'America/Mexico_City', 'Asia/Kuala_Lumpur', 'Africa/Lagos', 'America/Managua'],
  ...['Europe/Amsterdam', 'Europe/Oslo', 'Pacific/Auckland', 'Asia/Muscat', 'America/Panama', 'America/Lima'],
  ...['Asia/Manila', 'Asia/Karachi', 'Europe/Warsaw', 'America/Puerto_Rico', 'Asia/Gaza', 'Atlantic/Azores'],
  ...['Europe/Lisbon', 'America/Asuncion', 'Asia/Qatar', 'Europe/Bucharest', 'Europe/Belgrade'],
  ...['Europe/Kaliningrad', 'Europe/Moscow', 'Europe/Samara', 'Asia/Yekaterinburg', 'Asia/Omsk'],
  ...['Asia/Krasnoyarsk', 'Asia/Irkutsk', 'Asia/Yakutsk', 'Asia/Vladivostok', 'Asia/Magadan'],
  ...['Asia/Kamchatka', 'Asia/Riyadh', 'Europe/Stockholm', 'Asia/Singapore', 'Europe/Ljubljana'],
  ...['Europe/Bratislava', 'America/El_Salvador', 'Asia/Bangkok', 'Africa/Tunis', 'Europe/Istanbul'],
  ...['America/Port_of_Spain', 'Asia/Taipei', 'Europe/Kiev', 'America/Montevideo', 'America/Caracas'],
  ...['Asia/Ho_Chi_Minh', 'Africa/Johannesburg'],
] as const;

/**
 * The name (IANA) of a time zone of the platform; null if it is not known.
 * @param id as the platform returns it, such as `25`
 */
export const timeZoneOf = (id: string): string | null => TIME_ZONES[Number(id) - 1] ?? null;
