/** feed_type_id and its description. */
export const projectTypes = [
  ['PROMO', 'Promotion'],
  ['RESET', 'Planogram reset'],
  ['INV', 'Inventory'],
  ['SAFETY', 'Safety'],
  ['TRAIN', 'Training'],
  ['SEASON', 'Seasonal change'],
  ['MAINT', 'Maintenance'],
] as const;

/** message_type and its description; the first three belong to projects, tasks and walks. */
export const messageTypes = [
  ['PRJ', 'Project'],
  ['TSK', 'Task'],
  ['WLK', 'Store walk'],
  ['FYI', 'For your information'],
  ['ALR', 'Alert'],
  ['POL', 'Policy change'],
  ['EVT', 'Event'],
  ['RCL', 'Product recall'],
] as const;

export const products = [
  'oat milk',
  'sourdough',
  'Käsekuchen',
  'blueberries',
  'rain jackets',
  'sneakers',
  'headphones',
  'smart bulbs',
  'dog food',
  'ice cream 🍦',
  'jalapeños',
  'Müsli',
  'sun cream',
  'notebooks',
  'garden chairs',
  'espresso pods',
  'baby wipes',
  'Brötchen',
  'school bags',
  'phone cases',
  'cherry tomatoes 🍅',
  'wool socks',
  'sparkling water',
  'batteries',
  'greeting cards',
  'frozen pizza',
] as const;

export const places = [
  'endcap 3',
  'aisle 7',
  'the front window',
  'the cold room',
  'gondola B2',
  'checkout 1–6',
  'the service desk',
  'the loading bay',
  'the entrance',
  'bay 12',
] as const;

/** `{p}` is a product, `{l}` a place, `{n}` a number. */
export const projectTitles = {
  PROMO: [
    'Promotion: {n}% off {p}',
    'Two for one on {p} 🎉',
    'Launch campaign “{p}”',
    'Clearance {p}: up to {n}%',
  ],
  RESET: ['Planogram reset {l}', 'Move {p} to {l}', 'New layout for {p}'],
  INV: ['Cycle count: {p}', 'Stock-take of {l}', 'Shrink review: {p} (-{n}%)'],
  SAFETY: ['Fire door check near {l}', 'Cold chain audit: {p} ❄️', 'Ladder inspection {n}'],
  TRAIN: ['Onboarding week {n}', 'Training: selling {p}', 'Schulung: Kühlkette für {p}'],
  SEASON: [
    'Back to school: {p} 🎒',
    'Winter change-over {l}',
    'Frühlingsputz {l}',
    'Summer corner with {p} ☀️',
  ],
  MAINT: [
    'Repair the lights at {l}',
    'Replace the price rails at {l}',
    'Clean the drains near {l}',
  ],
} as const;

export const taskTitles = [
  'Print price labels for {p}',
  'Count {p}',
  'Build the display at {l}',
  'Take a photo of {l} 📷',
  'Remove expired {p}',
  'Check the facing of {p}',
  'Brief the team about {p}',
  'Order {n} cases of {p}',
  'Clean {l}',
  'Put up signs: {n}% off',
  'Fill up {p} at {l}',
  'Confirm delivery {n}',
  'Return unsold {p}',
  'Preise prüfen: {p}',
] as const;

export const messageTitles = {
  FYI: [
    'New opening hours from week {n}',
    'Sales of {p} up {n}% 📈',
    'Thank you for a great weekend! 🎉',
  ],
  ALR: ['⚠️ Card terminals slow at {l}', '⚠️ Delivery of {p} is late', 'Water leak near {l}'],
  POL: [
    'Returns policy for {p} changes',
    'Dress code: summer edition',
    'Cash limit at {l} is now {n}0',
  ],
  EVT: ['Tasting: {p} on Saturday', 'Visit of the regional team', 'Betriebsversammlung, Raum {n}'],
  RCL: ['Recall: {p}, lot {n}', '🛑 Stop selling {p} (lot {n})'],
} as const;

export const walkTitles = [
  'Morning walk: {l}',
  'Closing walk: {l}',
  'Freshness walk: {p}',
  'Safety walk {n}',
] as const;

export const descriptions = [
  'Please finish before the store opens and add a photo.',
  'Follow the guide; ask the supervisor if {p} is out of stock.',
  'Applies to {l} only. Expected effect: +{n}% sales.',
  'Bitte bis Ladenschluss erledigen. Rückfragen an die Filialleitung.',
  'Two people, about 45 minutes.\nTools are at {l}.',
] as const;

export const tags = [
  'promo',
  'safety',
  'audit',
  'weekly',
  'back-to-school',
  'größe',
  'fresh',
  'photo',
  'cold chain',
  'vip',
] as const;

export const attributes = [
  { scope: 'COM', name: 'Region', values: ['North', 'South', 'Île-de-France', 'Bayern'] },
  { scope: 'COM', name: 'Season', values: ['Spring', 'Summer', 'Autumn', 'Winter'] },
  { scope: 'MSG', name: 'Audience', values: ['All staff', 'Managers', 'Night shift'] },
  { scope: 'MSG', name: 'Channel', values: ['App', 'Radio', 'Notice board'] },
] as const;
