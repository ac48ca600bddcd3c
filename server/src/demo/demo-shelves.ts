/** Where the demo products are filed. The order here is the order in the shop. */

export const demoBrands = [
  {
    slug: 'blaze-arena',
    name: 'Blaze Arena',
    nameBn: 'ব্লেজ অ্যারেনা',
    description: 'Battle royale for small phones',
  },
  {
    slug: 'mythic-five',
    name: 'Mythic Five',
    nameBn: 'মিথিক ফাইভ',
    description: 'Five against five, ten minutes a match',
  },
  { slug: 'battle-island', name: 'Battle Island', nameBn: 'ব্যাটল আইল্যান্ড', description: 'Last squad standing' },
  {
    slug: 'aetheria',
    name: 'Aetheria',
    nameBn: 'এথেরিয়া',
    description: 'Open-world adventure on every device',
  },
  { slug: 'gamelon', name: 'Gamelon', nameBn: 'গেমেলন', description: 'PC games, one wallet' },
  { slug: 'konsol', name: 'Konsol', nameBn: 'কনসোল', description: 'Console games and memberships' },
  { slug: 'playroid', name: 'Playroid', nameBn: 'প্লেরয়েড', description: 'Apps and games for Android' },
  { slug: 'orchard', name: 'Orchard', nameBn: 'অরচার্ড', description: 'Apps, music and cloud storage' },
  {
    slug: 'haatbazar',
    name: 'HaatBazar',
    nameBn: 'হাটবাজার',
    description: 'Everything for the home, delivered',
  },
  { slug: 'boighor', name: 'BoiGhor', nameBn: 'বইঘর', description: 'Bangla and English books' },
  {
    slug: 'padma-mobile',
    name: 'Padma Mobile',
    nameBn: 'পদ্মা মোবাইল',
    description: 'Talk and internet everywhere',
  },
  { slug: 'shapla-tel', name: 'Shapla Tel', nameBn: 'শাপলা টেল', description: 'The network of the young' },
  { slug: 'meghna-talk', name: 'Meghna Talk', nameBn: 'মেঘনা টক', description: 'Low rates, wide coverage' },
  {
    slug: 'streamhaat',
    name: 'StreamHaat',
    nameBn: 'স্ট্রিমহাট',
    description: 'Films and series, Bangla first',
  },
  { slug: 'surmela', name: 'SurMela', nameBn: 'সুরমেলা', description: 'Music without advertisements' },
  { slug: 'khelalive', name: 'KhelaLive', nameBn: 'খেলালাইভ', description: 'Cricket and football, live' },
  { slug: 'koboch', name: 'Koboch', nameBn: 'কবচ', description: 'Security for phones and PCs' },
  {
    slug: 'lipi-office',
    name: 'Lipi Office',
    nameBn: 'লিপি অফিস',
    description: 'Documents, tables and slides',
  },
] as const;

export const demoCategories = [
  { slug: 'games', name: 'Games', nameBn: 'গেমস', parent: null },
  { slug: 'game-top-ups', name: 'Game top-ups', nameBn: 'গেম টপ-আপ', parent: 'games' },
  { slug: 'game-cards', name: 'Game cards', nameBn: 'গেম কার্ড', parent: 'games' },
  { slug: 'mobile', name: 'Mobile', nameBn: 'মোবাইল', parent: null },
  { slug: 'recharge', name: 'Recharge', nameBn: 'রিচার্জ', parent: 'mobile' },
  { slug: 'internet-packs', name: 'Internet packs', nameBn: 'ইন্টারনেট প্যাক', parent: 'mobile' },
  { slug: 'gift-cards', name: 'Gift cards', nameBn: 'গিফট কার্ড', parent: null },
  { slug: 'app-cards', name: 'App stores', nameBn: 'অ্যাপ স্টোর', parent: 'gift-cards' },
  { slug: 'shop-cards', name: 'Shops', nameBn: 'দোকান', parent: 'gift-cards' },
  { slug: 'entertainment', name: 'Entertainment', nameBn: 'বিনোদন', parent: null },
  { slug: 'video', name: 'Video', nameBn: 'ভিডিও', parent: 'entertainment' },
  { slug: 'music', name: 'Music', nameBn: 'সংগীত', parent: 'entertainment' },
  { slug: 'software', name: 'Software', nameBn: 'সফটওয়্যার', parent: null },
] as const;

export const demoProductTypes = [
  { slug: 'gift-card', name: 'Gift card', nameBn: 'গিফট কার্ড' },
  { slug: 'top-up', name: 'Top-up', nameBn: 'টপ-আপ' },
  { slug: 'mobile-recharge', name: 'Mobile recharge', nameBn: 'মোবাইল রিচার্জ' },
  { slug: 'subscription', name: 'Subscription', nameBn: 'সাবস্ক্রিপশন' },
  { slug: 'software-key', name: 'Software key', nameBn: 'সফটওয়্যার কী' },
] as const;

export const demoTags = [
  { slug: 'popular', name: 'Popular', nameBn: 'জনপ্রিয়' },
  { slug: 'instant', name: 'Instant', nameBn: 'সাথে সাথে' },
  { slug: 'offer', name: 'Offer', nameBn: 'অফার' },
  { slug: 'new', name: 'New', nameBn: 'নতুন' },
  { slug: 'deshi', name: 'Deshi', nameBn: 'দেশি' },
  { slug: 'students', name: 'For students', nameBn: 'শিক্ষার্থীদের জন্য' },
] as const;
