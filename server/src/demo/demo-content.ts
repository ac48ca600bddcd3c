/** What surrounds the demo products: ways to pay, the homepage, questions and answers. */

/** The five methods of interface part 4. Limits in BDT. */
export const demoPaymentMethods = [
  {
    method: 'gw_aggregator',
    name: 'Cards, internet and mobile banking',
    nameBn: 'কার্ড, ইন্টারনেট ও মোবাইল ব্যাংকিং',
    description: 'Visa, Mastercard, Amex and every bank in Bangladesh',
    min: '10',
    max: '500000',
  },
  {
    method: 'gw_wallet_tokenized',
    name: 'bKash',
    nameBn: 'বিকাশ',
    description: 'Pay from your wallet with your PIN',
    min: '1',
    max: '30000',
  },
  {
    method: 'gw_wallet_direct',
    name: 'Nagad',
    nameBn: 'নগদ',
    description: 'Pay from your wallet with your PIN',
    min: '10',
    max: '30000',
  },
  {
    method: 'gw_multi_wallet',
    name: 'Other wallets',
    nameBn: 'অন্যান্য ওয়ালেট',
    description: 'Rocket, Upay, Tap and more',
    min: '10',
    max: '50000',
  },
  {
    method: 'dcb',
    name: 'Mobile balance',
    nameBn: 'মোবাইল ব্যালেন্স',
    description: 'Charged to your SIM; for small amounts',
    min: '10',
    max: '1000',
  },
] as const;

export const demoBanners = [
  {
    title: 'Blaze Arena diamonds within a minute',
    titleBn: 'এক মিনিটেই ব্লেজ অ্যারেনা ডায়মন্ড',
    linkUrl: '/?brand=blaze-arena',
  },
  {
    title: 'Recharge any SIM, pay as you like',
    titleBn: 'যেকোনো সিমে রিচার্জ, পেমেন্ট আপনার পছন্দে',
    linkUrl: '/?category=mobile',
  },
  { title: 'This week’s offers', titleBn: 'এই সপ্তাহের অফার', linkUrl: '/?tag=offer' },
] as const;

export const demoSections = [
  {
    title: 'Popular now',
    titleBn: 'এখন জনপ্রিয়',
    layout: 'carousel',
    products: [
      'blaze-arena-diamonds',
      'battle-island-coins',
      'playroid-gift-card',
      'padma-recharge',
      'gamelon-wallet',
      'streamhaat-premium',
    ],
  },
  {
    title: 'Game top-ups',
    titleBn: 'গেম টপ-আপ',
    layout: 'grid',
    products: [
      'blaze-arena-diamonds',
      'mythic-five-diamonds',
      'battle-island-coins',
      'aetheria-crystals',
      'blaze-arena-membership',
    ],
  },
  {
    title: 'Gifts for family',
    titleBn: 'পরিবারের জন্য উপহার',
    layout: 'grid',
    products: [
      'boighor-gift-card',
      'haatbazar-gift-card',
      'surmela-premium',
      'orchard-gift-card',
      'haatbazar-eid-card',
    ],
  },
  {
    title: 'Recharge and internet',
    titleBn: 'রিচার্জ ও ইন্টারনেট',
    layout: 'list',
    products: ['padma-recharge', 'shapla-recharge', 'meghna-recharge', 'padma-internet', 'shapla-internet'],
  },
] as const;

export const demoFaqs = [
  {
    category: 'delivery',
    question: 'When do I get my code?',
    answer:
      'Most codes arrive by e-mail within a minute of your payment. You also find them under your orders.',
    questionBn: 'আমি কখন কোড পাব?',
    answerBn: 'বেশিরভাগ কোড পেমেন্টের এক মিনিটের মধ্যে ইমেইলে পৌঁছে যায়। আপনার অর্ডারের পাতায়ও কোডটি থাকে।',
  },
  {
    category: 'delivery',
    question: 'I paid, but the order says “Being prepared”. What now?',
    answer:
      'Your payment is safe and our team is already on it. You need not pay again; we write to you as soon as it is done.',
    questionBn: 'পেমেন্ট করেছি, কিন্তু অর্ডারে “Being prepared” দেখাচ্ছে। কী করব?',
    answerBn: 'আপনার টাকা নিরাপদ আছে এবং আমাদের দল কাজ করছে। আবার পেমেন্ট করবেন না; কাজ শেষ হলেই আমরা জানাব।',
  },
  {
    category: 'delivery',
    question: 'Where do I find my Player ID?',
    answer:
      'Open the game and tap your picture: the number below your name is the Player ID. Check it before you pay.',
    questionBn: 'আমার প্লেয়ার আইডি কোথায় পাব?',
    answerBn: 'গেম খুলে আপনার ছবিতে চাপুন: নামের নিচের নম্বরটিই প্লেয়ার আইডি। পেমেন্টের আগে মিলিয়ে নিন।',
  },
  {
    category: 'payment',
    question: 'How can I pay?',
    answer:
      'With cards, internet banking, mobile wallets or your SIM balance. We show what is available when you check out.',
    questionBn: 'কীভাবে পেমেন্ট করতে পারি?',
    answerBn: 'কার্ড, ইন্টারনেট ব্যাংকিং, মোবাইল ওয়ালেট বা সিমের ব্যালেন্স দিয়ে। চেকআউটের সময় কোনগুলো চালু আছে তা দেখানো হয়।',
  },
  {
    category: 'payment',
    question: 'The money left my account, but the order is unpaid.',
    answer:
      'We ask your bank again by ourselves, the first time after a minute. If it confirms, the order goes on; nothing is lost.',
    questionBn: 'টাকা কেটে নিয়েছে, কিন্তু অর্ডারে পেমেন্ট দেখাচ্ছে না।',
    answerBn: 'আমরা এক মিনিট পর থেকেই নিজেরা ব্যাংকের কাছে আবার জানতে চাই। নিশ্চিত হলেই অর্ডার এগিয়ে যায়; টাকা হারায় না।',
  },
  {
    category: 'payment',
    question: 'Can I use a discount code?',
    answer: 'Yes, type it at checkout. One code per order.',
    questionBn: 'ডিসকাউন্ট কোড ব্যবহার করা যায়?',
    answerBn: 'হ্যাঁ, চেকআউটে লিখে দিন। প্রতি অর্ডারে একটি কোড।',
  },
  {
    category: 'refunds',
    question: 'Can I return a code?',
    answer:
      'A code that was shown cannot be returned. If it does not work, write to us and we replace or refund it.',
    questionBn: 'কোড ফেরত দেওয়া যায়?',
    answerBn: 'দেখানো হয়ে গেলে কোড ফেরত নেওয়া যায় না। কাজ না করলে আমাদের লিখুন, আমরা বদলে দেব বা টাকা ফেরত দেব।',
  },
  {
    category: 'account',
    question: 'Why do you need my mobile number?',
    answer:
      'It is your sign-in. We send one code to it when you register or forget your password, and nothing else.',
    questionBn: 'আমার মোবাইল নম্বর কেন দরকার?',
    answerBn: 'এটিই আপনার সাইন-ইন। রেজিস্টার করতে বা পাসওয়ার্ড ভুলে গেলে শুধু একটি কোড পাঠাই, আর কিছু নয়।',
  },
] as const;
