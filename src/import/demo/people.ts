/** Somebody of the demo. */
export interface Person {
  login: string;
  display_name: string;
  unit: string;
  profile: 'Associate' | 'Supervisor' | 'Leader';
  /** The first one is the home department. */
  depts: readonly string[];
  permissions?: readonly string[];
}

/** The three logins of the demo; they see most because most work goes to Berlin. */
export const mainUsers = [
  {
    login: 'associate',
    display_name: 'Aylin Yıldız',
    unit: 'Berlin Mitte',
    profile: 'Associate',
    depts: ['Fresh', 'Grocery'],
  },
  {
    login: 'supervisor',
    display_name: 'Jörg Köhler',
    unit: 'Berlin Mitte',
    profile: 'Supervisor',
    depts: ['Grocery', 'Checkout'],
    permissions: ['SUPERVISOR'],
  },
  {
    login: 'leader',
    display_name: 'Grace O’Neill',
    unit: 'Brooklyn Heights',
    profile: 'Leader',
    depts: ['Store Leadership', 'Apparel', 'Electronics'],
    permissions: ['DOMAIN_ADMIN', 'SMART_SEARCH'],
  },
] as const satisfies readonly Person[];

/** Colleagues: they own and are given work, but can't sign in. */
export const colleagues = [
  {
    login: 'mia.schulz',
    display_name: 'Mia Schulz',
    unit: 'Berlin Mitte',
    profile: 'Associate',
    depts: ['Checkout'],
  },
  {
    login: 'tom.berger',
    display_name: 'Tom Berger',
    unit: 'Berlin Mitte',
    profile: 'Associate',
    depts: ['Electronics'],
  },
  {
    login: 'devon.carter',
    display_name: 'Devon Carter',
    unit: 'Brooklyn Heights',
    profile: 'Associate',
    depts: ['Apparel'],
  },
  {
    login: 'rosa.martinez',
    display_name: 'Rosa Martínez',
    unit: 'Brooklyn Heights',
    profile: 'Supervisor',
    depts: ['Fresh', 'Grocery'],
  },
  {
    login: 'sam.lee',
    display_name: 'Sam Lee',
    unit: 'Brooklyn Heights',
    profile: 'Associate',
    depts: ['Checkout'],
  },
  {
    login: 'priya.nair',
    display_name: 'Priya Nair',
    unit: 'Mumbai Bandra',
    profile: 'Leader',
    depts: ['Store Leadership'],
  },
  {
    login: 'arjun.mehta',
    display_name: 'Arjun Mehta',
    unit: 'Mumbai Bandra',
    profile: 'Associate',
    depts: ['Electronics', 'Apparel'],
  },
  {
    login: 'kiri.walker',
    display_name: 'Kiri Walker',
    unit: 'Auckland Central',
    profile: 'Supervisor',
    depts: ['Grocery'],
  },
  {
    login: 'noah.fletcher',
    display_name: 'Noah Fletcher',
    unit: 'Auckland Central',
    profile: 'Associate',
    depts: ['Fresh'],
  },
] as const satisfies readonly Person[];
