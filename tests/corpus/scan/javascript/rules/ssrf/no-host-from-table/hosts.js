const HOSTS = new Map([['mail', 'mail.internal'], ['shop', 'shop.internal']]);

exports.hostOf = (service) => {
  const host = HOSTS.get(service);
  if (!host) throw new RangeError('service');
  return host;
};
