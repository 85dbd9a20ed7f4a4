/** Different words for one matter, in any trade: each stands for the others at a lower weight. A site owner may add a list. */

const groups = `
  shipping delivery postage dispatch freight deliver ship post courier transit
  arrive delivery delivered reach ship shipping
  stuff goods order parcel package purchase items gear
  order parcel package purchase
  return exchange
  customs duty duties import tax vat
  exchange swap switch replace
  refund reimburse reimbursement money credited
  repair fix mend service patch
  broken damaged defective faulty fault damage snapped cracked ripped torn split busted
  warranty guarantee
  contact reach email phone write
  phone telephone call number ring dial
  open opening hours available
  close shut closing closed
  pack backpack rucksack
  shoe boot footwear trainer
  cord line rope guy
  waterproof watertight rainproof membrane rain wet
  waterproofing repellency proofing repellent
  rain wet shower drizzle
  weigh weight heavy
  pay payment card charge
  visa mastercard amex card credit debit
  instalment installment klarna monthly
  cash coin
  clean wash laundry dirt dirty mud muddy launder
  machine washer launder
  tumble dryer
  cheap inexpensive affordable budget low
  price cost fee charge rate
  buy order purchase
  cancel withdraw revoke
  change amend modify alter edit reschedule move update postpone rearrange
  leave quit terminate cancel leaving
  join enrol subscribe sign joining member membership
  plan subscription scheme membership package
  book reserve booking appointment reservation slot
  appointment visit slot
  vet doctor surgeon veterinarian
  surgery operation op procedure anaesthetic operate
  neuter castrate castration spay spaying neutering
  neutering sterilise sterilize fixed snip
  vaccination vaccine jab injection shot vaccinate booster vaccinated
  chip microchip
  tablet pill medicine medication drug meds
  prescription tablet medicine refill repeat
  medicine painkiller paracetamol ibuprofen aspirin
  painkiller paracetamol ibuprofen aspirin pain relief
  poison poisonous toxic harmful dangerous
  harmful dangerous hazardous unsafe
  fumes smoke gas monoxide
  stove cooker burner hob
  cook cooking stove boil fry
  vestibule porch awning
  canister cartridge cylinder
  fuel gas petrol propane butane
  fit seizure convulsion fitting
  heatstroke overheating overheated sunstroke
  breathe breathing choke choking gasping
  swallow swallowed eat ate chew chewed lick licked
  limp limping lame
  fire campfire flame
  cattery boarding board kennel hotel
  board stay overnight holiday
  pen cage room
  stitch suture
  cone collar
  bandage dressing
  wound cut incision scar
  bleed blood bleeding
  tooth teeth dental
  ill sick unwell illness poorly
  sick vomit throw puke
  breathe breathing breath gasp choke
  fit seizure convulsion
  overheat heatstroke heat hot
  pet animal
  dog puppy bitch hound pup
  cat kitten tom kitty pussy
  rabbit bunny
  kitten puppy young
  nail claw
  trim clip
  flea tick parasite
  car vehicle parking park
  bus train station transport
  cartridge canister cylinder bottle
  gas fuel propane butane canister
  flight plane airplane aircraft fly luggage airport baggage
  stove burner cooker
  cook cooking stove
  lighter match igniter ignite light
  boil heat water
  fume monoxide carbon
  tent shelter
  indoors inside
  outdoors outside garden yard lawn
  person people
  litre liter
  metre meter
  kilo kilogram kg
  warm warmth temperature comfort cosy toasty
  cold frost temperature freezing winter
  colour color
  grey gray
  child kid
  present gift
  voucher certificate coupon promo code
  discount reduction deduction off
  club group school team scout
  bulk wholesale reseller
  student pupil
  employee staff worker people team
  job vacancy career hiring
  owner founder
  shop store counter
  visit come shop counter premises
  collect pickup collection pick
  look see view visit viewing
  location located address
  site website
  register account registration
  login signin sign
  password passcode
  privacy data personal
  delete erase remove forget
  store keep hold storage
  postal address
  bill invoice receipt
  receipt proof
  tax vat duty duties customs import
  late delay delayed
  lost missing
  stolen theft
  track trace follow tracking
  size dimension fit
  big large
  small little tiny
  high height tall headroom
  stand standing upright
  wide width
  deep depth
  fast quick quickly express rush
  urgent emergency immediately
  expire expiry valid
  recent within
  material fabric
  made manufactured produced
  stain mark
  dry drying
  damp wet moist
  mold mould mildew
  spare replacement part
  zip zipper
  peg stake
  pole rod
  pitch setup erect assemble
  tear rip hole torn
  polish shine
  wax waxing
  sole resole resoled
  fire flame campfire spark
  wind storm gale windy
  snow blizzard
  sleep sleeping
  mat pad mattress
  groundsheet footprint
  wheelchair ramp accessible disabled
  hospital clinic practice
  holiday vacation holidays
  christmas december
  weekend saturday
  weekend sunday
  weekday monday
  evening night
  instruction step
  advice help
  reply answer respond response
  signature sign
  amount minimum total
  total together altogether overall
  dose dosage
  feed feeding food eat meal diet
  eat eaten swallow chew lick nibble munch gobble food
  eat chew swallow poison poisonous
  starve fast food
  drink water sip
  walk exercise run play lead
  bath swim swimming
  smell odour odor stink
  leak leaking
  overnight night
  insurance insure insured
  cover include
  included comes contains
  maximum limit
  load carry hold
  laptop computer
  bladder hydration
  unused new
  used worn use lit
  reason why
  monthly month
  yearly annual year
  daily day
  weekly week
  abroad international overseas foreign
  domestic inland
  america us usa states
  uk britain england
  household home family
  deposit upfront advance
  estimate quote
  receptionist reception desk
  text sms message
  list checklist
  packaging box plastic wrapping
  recycled sustainable environment eco
  newsletter marketing mailing
  sell sold share
  camera photo photograph picture
  proof photo photograph
  hurt harm injure injury
  pregnant pregnancy
  shop store
  urine pee wee
  fur coat
  weigh weight scale
`;

export const synonymGroups: readonly (readonly string[])[] = groups
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
