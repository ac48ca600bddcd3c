import type { Language } from '../../platform/language.ts';
import type { Refusal } from '../../modules/redemption/index.ts';

export interface RedeemTexts {
  readonly enterTitle: string;
  readonly code: string;
  readonly enterHint: string;
  readonly next: string;
  readonly phone: string;
  readonly email: string;
  readonly emailHint: string;
  readonly redeem: string;
  readonly again: string;
  readonly showAgain: string;
  readonly doneTitle: string;
  readonly keepIt: string;
  readonly sentTo: (email: string) => string;
  readonly anotherCode: string;
  readonly refusedTitle: string;
  readonly wrongEmail: string;
  readonly slowDown: string;
  readonly brokenTitle: string;
  readonly broken: string;
  readonly refusals: Readonly<Record<Refusal, string>>;
}

export const redeemTexts: Readonly<Record<Language, RedeemTexts>> = {
  en: {
    enterTitle: 'Redeem your code',
    code: 'Code',
    enterHint: 'As printed. Capitals, spaces and hyphens do not matter.',
    next: 'Next',
    phone: 'Your mobile number',
    email: 'Your e-mail address (optional)',
    emailHint: 'We send the code there as well.',
    redeem: 'Show my code',
    again: 'You have redeemed this code from here already. You can read it again for 24 hours.',
    showAgain: 'Show it again',
    doneTitle: 'Here is your code',
    keepIt: 'Write it down. From this connection you can open it again for 24 hours.',
    sentTo: (email) => `We are sending it to ${email} too.`,
    anotherCode: 'Enter another code',
    refusedTitle: 'This did not work',
    wrongEmail: 'This is not an e-mail address. Correct it, or leave it empty.',
    slowDown: 'Too many tries. Wait a little, then try again.',
    brokenTitle: 'Something went wrong on our side',
    broken: 'Nothing is lost. Try again in a moment.',
    refusals: {
      phone_required: 'Enter your mobile number to get the code.',
      unknown_code: 'We cannot find this code. Check each character: 0, O, 1, I and L are never used.',
      voided: 'This code was withdrawn and can no longer be used.',
      already_redeemed: 'This code has been redeemed already.',
      expired: 'This campaign has ended.',
      not_started: 'This campaign has not started yet.',
      campaign_inactive: 'This campaign is not active at the moment.',
      temporarily_unavailable: 'This code is being loaded. Try again in a minute.',
      ip_limit_reached:
        'No more codes of this campaign can be redeemed from this network. Try another connection.',
    },
  },
  bn: {
    enterTitle: 'আপনার কোড ব্যবহার করুন',
    code: 'কোড',
    enterHint: 'যেমন ছাপা আছে। বড়-ছোট হাতের অক্ষর, ফাঁক বা হাইফেনে কিছু আসে যায় না।',
    next: 'পরবর্তী',
    phone: 'আপনার মোবাইল নম্বর',
    email: 'আপনার ই-মেইল ঠিকানা (ঐচ্ছিক)',
    emailHint: 'কোডটি সেখানেও পাঠানো হবে।',
    redeem: 'আমার কোড দেখান',
    again: 'এখান থেকে কোডটি আগেই নেওয়া হয়েছে। ২৪ ঘণ্টা পর্যন্ত আবার দেখা যাবে।',
    showAgain: 'আবার দেখান',
    doneTitle: 'এই নিন আপনার কোড',
    keepIt: 'কোডটি লিখে রাখুন। এই সংযোগ থেকে ২৪ ঘণ্টা পর্যন্ত আবার দেখা যাবে।',
    sentTo: (email) => `আমরা এটি ${email} ঠিকানাতেও পাঠাচ্ছি।`,
    anotherCode: 'অন্য কোড লিখুন',
    refusedTitle: 'হলো না',
    wrongEmail: 'এটি ই-মেইল ঠিকানা নয়। ঠিক করুন, অথবা খালি রাখুন।',
    slowDown: 'অনেকবার চেষ্টা করা হয়েছে। একটু পরে আবার চেষ্টা করুন।',
    brokenTitle: 'আমাদের দিকে একটি সমস্যা হয়েছে',
    broken: 'কিছুই হারায়নি। একটু পরে আবার চেষ্টা করুন।',
    refusals: {
      phone_required: 'কোড পেতে আপনার মোবাইল নম্বর লিখুন।',
      unknown_code: 'কোডটি পাওয়া যায়নি। প্রতিটি অক্ষর মিলিয়ে দেখুন: 0, O, 1, I এবং L কখনো থাকে না।',
      voided: 'কোডটি তুলে নেওয়া হয়েছে, আর ব্যবহার করা যাবে না।',
      already_redeemed: 'কোডটি আগেই ব্যবহার করা হয়েছে।',
      expired: 'ক্যাম্পেইনটি শেষ হয়ে গেছে।',
      not_started: 'ক্যাম্পেইনটি এখনো শুরু হয়নি।',
      campaign_inactive: 'ক্যাম্পেইনটি এই মুহূর্তে চালু নেই।',
      temporarily_unavailable: 'কোডটি প্রস্তুত হচ্ছে। এক মিনিট পরে আবার চেষ্টা করুন।',
      ip_limit_reached: 'এই নেটওয়ার্ক থেকে এই ক্যাম্পেইনের আর কোড নেওয়া যাবে না। অন্য সংযোগে চেষ্টা করুন।',
    },
  },
};
