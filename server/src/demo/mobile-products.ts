import type { DemoField, DemoProduct, DemoVariant } from './demo-product.ts';

const mobileNumber: DemoField = {
  name: 'account_id',
  label: 'Mobile number',
  label_bn: 'মোবাইল নম্বর',
  type: 'tel',
  required: true,
  pattern: '(\\+?88)?01[3-9][0-9]{8}',
};
const plan: DemoField = {
  name: 'plan',
  label: 'Connection',
  label_bn: 'সংযোগ',
  type: 'select',
  required: false,
  options: [
    { value: 'prepaid', label: 'Prepaid', label_bn: 'প্রিপেইড' },
    { value: 'postpaid', label: 'Postpaid', label_bn: 'পোস্টপেইড' },
  ],
};
const recharge = {
  category: 'recharge',
  type: 'mobile-recharge',
  mode: 'TOPUP',
  engine: 'PARTNER',
  fields: [mobileNumber, plan],
  unit: { en: 'BDT', bn: 'টাকা' },
} as const;
const internet = {
  category: 'internet-packs',
  type: 'mobile-recharge',
  mode: 'TOPUP',
  engine: 'PARTNER',
  fields: [mobileNumber],
} as const;

/** A recharge costs what it credits. */
const amounts = (...taka: string[]): DemoVariant[] =>
  taka.map((size) => ({ size, price: size, maxQuantity: 5 }));

export const mobileProducts: readonly DemoProduct[] = [
  {
    ...recharge,
    slug: 'padma-recharge',
    brand: 'padma-mobile',
    tags: ['popular', 'instant', 'deshi'],
    name: 'Padma Mobile Recharge',
    nameBn: 'পদ্মা মোবাইল রিচার্জ',
    description: 'Balance on any Padma Mobile number, prepaid or postpaid.',
    descriptionBn: 'যেকোনো পদ্মা মোবাইল নম্বরে ব্যালেন্স, প্রিপেইড বা পোস্টপেইড।',
    sku: 'PDM-R',
    variants: amounts('20', '50', '100', '200', '500', '1000'),
  },
  {
    ...recharge,
    slug: 'shapla-recharge',
    brand: 'shapla-tel',
    tags: ['instant', 'deshi'],
    name: 'Shapla Tel Recharge',
    nameBn: 'শাপলা টেল রিচার্জ',
    description: 'Balance on any Shapla Tel number.',
    descriptionBn: 'যেকোনো শাপলা টেল নম্বরে ব্যালেন্স।',
    sku: 'SHP-R',
    variants: amounts('20', '50', '100', '300', '500'),
  },
  {
    ...recharge,
    slug: 'meghna-recharge',
    brand: 'meghna-talk',
    tags: ['instant', 'deshi'],
    name: 'Meghna Talk Recharge',
    nameBn: 'মেঘনা টক রিচার্জ',
    description: 'Balance on any Meghna Talk number.',
    descriptionBn: 'যেকোনো মেঘনা টক নম্বরে ব্যালেন্স।',
    sku: 'MGN-R',
    variants: amounts('20', '50', '100', '300', '500'),
  },
  {
    ...internet,
    slug: 'padma-internet',
    brand: 'padma-mobile',
    tags: ['popular', 'deshi'],
    name: 'Padma Mobile Internet',
    nameBn: 'পদ্মা মোবাইল ইন্টারনেট',
    description: 'The pack starts as soon as it is credited.',
    descriptionBn: 'যোগ হওয়ার সাথে সাথে প্যাক চালু হয়।',
    sku: 'PDM-I',
    variants: [
      { name: '1 GB, 3 days', nameBn: '১ জিবি, ৩ দিন', sku: '1GB3', price: '48' },
      { name: '5 GB, 7 days', nameBn: '৫ জিবি, ৭ দিন', sku: '5GB7', price: '148' },
      { name: '15 GB, 30 days', nameBn: '১৫ জিবি, ৩০ দিন', sku: '15GB30', price: '399' },
      { name: '50 GB, 30 days', nameBn: '৫০ জিবি, ৩০ দিন', sku: '50GB30', price: '699', was: '749' },
    ],
  },
  {
    ...internet,
    slug: 'shapla-internet',
    brand: 'shapla-tel',
    tags: ['students', 'deshi'],
    name: 'Shapla Tel Internet',
    nameBn: 'শাপলা টেল ইন্টারনেট',
    description: 'Packs for study and for the night after it.',
    descriptionBn: 'পড়াশোনার প্যাক, আর পরের রাতের জন্যও।',
    sku: 'SHP-I',
    variants: [
      { name: '2 GB, 3 days', nameBn: '২ জিবি, ৩ দিন', sku: '2GB3', price: '69' },
      { name: '10 GB, 7 days', nameBn: '১০ জিবি, ৭ দিন', sku: '10GB7', price: '199' },
      { name: '40 GB, 30 days', nameBn: '৪০ জিবি, ৩০ দিন', sku: '40GB30', price: '549' },
    ],
  },
  {
    ...internet,
    slug: 'meghna-internet',
    brand: 'meghna-talk',
    tags: ['new', 'deshi'],
    name: 'Meghna Talk Internet',
    nameBn: 'মেঘনা টক ইন্টারনেট',
    description: 'Night and day at one price.',
    descriptionBn: 'দিনে রাতে একই দাম।',
    sku: 'MGN-I',
    variants: [
      { name: '3 GB, 3 days', nameBn: '৩ জিবি, ৩ দিন', sku: '3GB3', price: '79' },
      { name: '12 GB, 7 days', nameBn: '১২ জিবি, ৭ দিন', sku: '12GB7', price: '189' },
      { name: '35 GB, 30 days', nameBn: '৩৫ জিবি, ৩০ দিন', sku: '35GB30', price: '499', was: '549' },
    ],
  },
  {
    ...internet,
    slug: 'meghna-combo',
    brand: 'meghna-talk',
    tags: ['offer', 'deshi'],
    name: 'Meghna Talk Combo',
    nameBn: 'মেঘনা টক কম্বো',
    description: 'Minutes and gigabytes together.',
    descriptionBn: 'মিনিট ও জিবি একসাথে।',
    sku: 'MGN-C',
    variants: [
      { name: '100 minutes and 2 GB', nameBn: '১০০ মিনিট ও ২ জিবি', sku: 'S', price: '129' },
      { name: '300 minutes and 10 GB', nameBn: '৩০০ মিনিট ও ১০ জিবি', sku: 'M', price: '349' },
      { name: '800 minutes and 30 GB', nameBn: '৮০০ মিনিট ও ৩০ জিবি', sku: 'L', price: '749', was: '799' },
    ],
  },
];
